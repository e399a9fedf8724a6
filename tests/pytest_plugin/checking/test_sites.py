"""Everywhere that a test's agent may run: whose run each call of a model is in, all of them in one session."""

from __future__ import annotations

import json
from collections import defaultdict

from squall.checks.story import story_of
from squall.trace.formats import load_otlp

SUITE = '''
import json

import anyio.to_thread
import httpx2
import openai
import pytest_asyncio

from squall.capture.current import current

POOL = ThreadPoolExecutor(1)


def answer(request):
    message = {"role": "assistant", "content": "Yes."}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return httpx2.Response(200, json={"id": "1", "object": "chat.completion", "model": "m", "choices": choices})


CLIENT = openai.OpenAI(api_key="k", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))


def ask(site):
    """One call of a model, that says where it is made; and who is thought to make it is noted."""
    CLIENT.chat.completions.create(model="m", messages=[{"role": "user", "content": site}])
    whose = current()
    with open("asked.jsonl", "a") as asked:
        asked.write(json.dumps([site, whose and whose.recorder.run.rpartition("#")[0].rpartition("::")[2]]) + "\\n")


async def aask(site):
    ask(site)


@pytest.fixture
def around(request):
    ask(f"{request.node.name}: before the yield of a fixture")
    yield
    ask(f"{request.node.name}: after the yield of a fixture")


@pytest_asyncio.fixture
async def async_around(request):
    ask(f"{request.node.name}: before the yield of an async fixture")
    yield
    ask(f"{request.node.name}: after the yield of an async fixture")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server():
    """An agent that serves all tests of the module, in a task that the first of them starts."""
    asked = asyncio.Queue()

    async def serve():
        while True:
            site, done = await asked.get()
            ask(site)
            done.set_result(None)

    task = asyncio.get_running_loop().create_task(serve())
    yield asked
    task.cancel()


def test_pool():
    POOL.submit(ask, "test_pool: a job of a pool").result()


def test_sync(around):
    ask("test_sync: the body")
    thread = threading.Thread(target=ask, args=("test_sync: a thread",))
    thread.start()
    thread.join()
    POOL.submit(ask, "test_sync: a job of a pool whose thread an earlier test has made").result()
    asyncio.run(aask("test_sync: a loop of its own"))


@pytest.mark.asyncio
async def test_async(around, async_around):
    loop = asyncio.get_running_loop()
    ask("test_async: the body")
    await asyncio.gather(aask("test_async: gather, one"), aask("test_async: gather, two"))
    await asyncio.to_thread(ask, "test_async: to_thread")
    await loop.run_in_executor(None, ask, "test_async: run_in_executor")
    await anyio.to_thread.run_sync(ask, "test_async: anyio.to_thread")
    loop.call_soon(ask, "test_async: call_soon")
    await asyncio.sleep(0)


@pytest.mark.asyncio(loop_scope="module")
async def test_first_in_loop(server):
    ask("test_first_in_loop: the body")


@pytest.mark.asyncio(loop_scope="module")
async def test_second_in_loop(server):
    ask("test_second_in_loop: the body")
    done = asyncio.get_running_loop().create_future()
    await server.put(("test_second_in_loop: a task that an earlier test's fixture has started", done))
    await done


class TestMethods:
    def setup_method(self):
        ask("test_method: setup_method")

    def test_method(self):
        ask("test_method: the body")

    def teardown_method(self):
        ask("test_method: teardown_method")


class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ask("test_unit: setUpClass")

    def setUp(self):
        ask("test_unit: setUp")

    def test_unit(self):
        ask("test_unit: the body")


class TestUnitAsync(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        ask("test_unit_async: asyncSetUp")

    async def test_unit_async(self):
        ask("test_unit_async: the body")


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def anyio_around(anyio_backend, request):
    ask(f"{request.node.name}: before the yield of anyio's fixture")
    yield
    ask(f"{request.node.name}: after the yield of anyio's fixture")


@pytest.fixture(scope="module")
async def anyio_runner(anyio_backend):
    yield


@pytest.mark.anyio
async def test_anyio(anyio_around):
    ask("test_anyio: the body")


@pytest.mark.anyio
async def test_first_in_runner(anyio_runner):
    ask("test_first_in_runner: the body, in the runner that it starts")


@pytest.mark.anyio
async def test_second_in_runner(anyio_runner, anyio_around):
    ask("test_second_in_runner: the body, in the runner of an earlier test")


LATE = threading.Event()
LEFT = threading.Thread(target=lambda: LATE.wait(30) and ask("test_leaves: a thread that it has left behind"))


def test_leaves():
    LEFT.start()


def test_after_it():
    LATE.set()
    LEFT.join(30)
    ask("test_after_it: the body")


class TestOfClass:
    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def answer(cls):
        ask("test_of_class: a fixture of its class")

    def test_of_class(self):
        pass


def test_last():
    POOL.shutdown()
'''
SITES = """
test_pool: a job of a pool
test_sync: before the yield of a fixture
test_sync: the body
test_sync: a thread
test_sync: a job of a pool whose thread an earlier test has made
test_sync: a loop of its own
test_async: before the yield of a fixture
test_async: before the yield of an async fixture
test_async: the body
test_async: gather, one
test_async: gather, two
test_async: to_thread
test_async: run_in_executor
test_async: anyio.to_thread
test_async: call_soon
test_first_in_loop: the body
test_second_in_loop: the body
test_second_in_loop: a task that an earlier test's fixture has started
test_method: setup_method
test_method: the body
test_unit: setUpClass
test_unit: setUp
test_unit: the body
test_unit_async: asyncSetUp
test_unit_async: the body
test_anyio: before the yield of anyio's fixture
test_anyio: the body
test_first_in_runner: the body, in the runner that it starts
test_second_in_runner: before the yield of anyio's fixture
test_second_in_runner: the body, in the runner of an earlier test
test_after_it: the body
test_of_class: a fixture of its class
""".strip().splitlines()
AFTER_ITS_BODY = """
test_sync: after the yield of a fixture
test_async: after the yield of a fixture
test_async: after the yield of an async fixture
test_method: teardown_method
test_anyio: after the yield of anyio's fixture
test_second_in_runner: after the yield of anyio's fixture
""".strip().splitlines()
"""Its run has been judged by then."""
LATE = ["test_leaves: a thread that it has left behind"]
"""Its test is over: it is nobody's, and above all not of the test that goes on."""


def of_test(site):
    return site.partition(":")[0]


def test_every_call_is_in_the_run_of_its_own_test_wherever_it_is_made(suite, pytester):
    done = suite(SUITE, "--squall-export-otlp=runs.json", "-p", "no:cacheprovider")
    assert done.counts == {"passed": 15}, done.text
    lines = (pytester.path / "asked.jsonl").read_text(encoding="utf-8").splitlines()
    whose = dict(map(json.loads, lines))
    assert sorted(whose) == sorted([*SITES, *AFTER_ITS_BODY, *LATE])
    assert len(lines) == len(whose) == 39
    assert {site: test for site, test in whose.items() if test != of_test(site)} == dict.fromkeys(LATE)
    recorded: defaultdict[str, list[str]] = defaultdict(list)
    for trace in load_otlp(pytester.path / "runs.json"):
        story = story_of(trace)
        recorded[story.run.rpartition("#")[0].rpartition("::")[2]] += [
            text for conversation in story.conversations for text in conversation.users
        ]
    expected: defaultdict[str, list[str]] = defaultdict(list)
    for site in SITES:
        expected[of_test(site)].append(site)
    assert {test: sorted(sites) for test, sites in recorded.items()} == {
        test: sorted(sites) for test, sites in expected.items()
    }
