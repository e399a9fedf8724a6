"""Which tests are judged, wherever their agent runs, and what becomes of their results."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.checking.conftest import HEAD

FORMS = {
    "sync": """
def test_it():
    assert agent(SCRIPT) == "done"
""",
    "a loop inside": """
def test_it():
    assert asyncio.run(aagent(SCRIPT)) == "done"
""",
    "async": """
@pytest.mark.asyncio
async def test_it():
    assert await aagent(SCRIPT) == "done"
""",
    "async with a loop for the module": """
@pytest.mark.asyncio(loop_scope="module")
async def test_before():
    pass

@pytest.mark.asyncio(loop_scope="module")
async def test_it():
    assert await aagent(SCRIPT) == "done"
""",
    "anyio": """
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_it(anyio_backend):
    assert await aagent(SCRIPT) == "done"
""",
    "gather": """
def test_it():
    async def both():
        return await asyncio.gather(aagent(SCRIPT), aagent(FINE, wish="Now."))
    assert asyncio.run(both()) == ["done", "done"]
""",
    "to_thread": """
def test_it():
    async def there():
        return await asyncio.to_thread(agent, SCRIPT)
    assert asyncio.run(there()) == "done"
""",
    "thread": """
def test_it():
    thread = threading.Thread(target=agent, args=(SCRIPT,))
    thread.start()
    thread.join()
""",
    "pool": """
def test_it():
    with ThreadPoolExecutor() as pool:
        assert pool.submit(agent, SCRIPT).result() == "done"
""",
    "a pool of the module": """
@pytest.fixture(scope="module")
def pool():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        yield pool

def test_before(pool):
    pool.submit(int).result()

def test_it(pool):
    assert pool.submit(agent, SCRIPT).result() == "done"
""",
    "unittest": """
class TestIt(unittest.TestCase):
    def test_it(self):
        self.assertEqual(agent(SCRIPT), "done")
""",
    "unittest's setUp": """
class TestIt(unittest.TestCase):
    def setUp(self):
        self.answer = agent(SCRIPT)

    def test_it(self):
        self.assertEqual(self.answer, "done")
""",
    "unittest's async": """
class TestIt(unittest.IsolatedAsyncioTestCase):
    async def test_it(self):
        self.assertEqual(await aagent(SCRIPT), "done")
""",
    "setup_method": """
class TestIt:
    def setup_method(self):
        self.answer = agent(SCRIPT)

    def test_it(self):
        assert self.answer == "done"
""",
    "fixture": """
@pytest.fixture
def answer():
    return agent(SCRIPT)

def test_it(answer):
    assert answer == "done"
""",
    "async fixture": """
import pytest_asyncio

@pytest_asyncio.fixture
async def answer():
    return await aagent(SCRIPT)

@pytest.mark.asyncio
async def test_it(answer):
    assert answer == "done"
""",
    "a client of the session": """
@pytest.fixture(scope="session")
def client():
    return client_of([*FINE, *SCRIPT])

def test_before(client):
    assert agent((), client=client) == "done"

def test_it(client):
    assert agent((), client=client) == "done"
""",
}


HINT = (
    'squall: @pytest.mark.checks(skip="repeated_tool_call, bad_tool_call") leaves them out here, '
    "--squall=warn fails nothing"
)


@pytest.fixture
def all_forms(suite, pytester):
    """`all_forms(script)`: one session in which all of these tests drive an agent that does as its script says."""

    def run(script):
        names = {f"test_form{number}": form for number, form in enumerate(FORMS)}
        files = {name: HEAD + FORMS[form].replace("SCRIPT", script) for name, form in names.items()}
        pytester.makepyfile(**files)
        done = suite(None)
        outcomes: dict[str, dict[str, str]] = {name: {} for name in FORMS}
        for case in done.junit:
            form = names[case.attrib["classname"].split(".")[0]]
            outcomes[form][case.attrib["name"]] = next((each.attrib["message"] for each in case), "passed")
        return done, outcomes

    return run


def test_a_test_fails_by_its_agents_run_in_whatever_form_it_drives_it(all_forms):
    _, outcomes = all_forms("LOOP")
    for form, found in outcomes.items():
        results = list(found.values())
        assert results.pop().startswith("squall: repeated_tool_call at step "), form
        assert results == ["passed"] * ("test_before" in FORMS[form]), form


def test_the_same_tests_pass_where_their_agents_do_well(all_forms):
    done, _ = all_forms("FINE")
    assert set(done.counts) == {"passed"}
    assert f"squall: {len(FORMS) + 1} runs checked, 0 failed by checks" in done.text


def test_the_hint_names_all_that_fired_and_how_else_to_say_that_it_was_told(suite):
    code = """
def test_it():
    try:
        agent([*LOOP[:3], 503])
    except openai.InternalServerError:
        return "Sorry, the service is down."

def test_it_is_told(trace):
    try:
        agent([503])
    except openai.InternalServerError:
        trace.final("Sorry, the service is down.")

def test_it_is_expected():
    with pytest.raises(openai.InternalServerError):
        agent([503])
"""
    done = suite(code, "-W", "ignore::pytest.PytestReturnNotNoneWarning")
    assert done.counts == {"failed": 1, "passed": 2}
    assert (
        "E   squall: if the agent answered something else than the model's last text: trace.final(answer) says so\n"
        "E           if the test expects the error: pytest.raises says so\n"
        'E           @pytest.mark.checks(skip="repeated_tool_call, unrecovered_model_error") leaves them out here, '
        "--squall=warn fails nothing\n"
    ) in done.text


def test_where_an_agent_ends_on_a_call_the_hint_says_how_that_is_meant(suite):
    code = """
def test_it():
    client = client_of([call("find", q="x")])
    message = {"role": "user", "content": "Where is it?"}
    client.chat.completions.create(model="gpt-5", messages=[message], tools=TOOLS, tool_choice=CHOICE)
"""
    done = suite(code.replace("CHOICE", '"auto"'))
    assert done.counts == {"failed": 1}
    assert "if agents may end with that call: terminal_tools in [tool.squall], or a tool_choice" in done.text
    assert suite(code.replace("CHOICE", '"required"')).counts == {"passed": 1}


AGAIN = {
    "one after the other": """
def test_it():
    for _ in range(4):
        assert agent(FINE) == "done"
""",
    "at the same time": """
def test_it():
    async def all_of_them():
        return await asyncio.gather(*(aagent(FINE) for _ in range(4)))
    assert asyncio.run(all_of_them()) == ["done"] * 4
""",
    "in threads": """
def test_it():
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(agent, [FINE] * 8)) == ["done"] * 8
""",
}


@pytest.mark.parametrize("how", AGAIN)
def test_agents_that_are_asked_the_same_and_do_the_same_are_judged_apart(suite, report, how):
    done = suite(AGAIN[how], report.option)
    assert done.counts == {"passed": 1}
    assert report.fired == {"test_it": []}


def test_what_a_fixture_of_the_module_runs_counts_for_the_test_that_needs_it_first(suite):
    code = """
@pytest.fixture(scope="module")
def answer():
    return agent(LOOP)

def test_one(answer): pass
def test_two(answer): pass
"""
    done = suite(code)
    assert done.counts == {"failed": 1, "passed": 1}
    assert "test_one" in done.line("FAILED")


def test_each_check_is_on_a_line_with_its_step_and_one_hint_follows(suite):
    done = suite("""
def test_it():
    assert agent([*(call("find", q="x") for _ in range(4)), call("nonsense"), say("done")]) == "done"
""")
    shown = done.text[done.text.index("E   the test's own") : done.text.index("AgentCheckFailed")].splitlines()
    assert shown[:3] == [
        "E   the test's own asserts passed, but 2 checks of its agent failed:",
        "E",
        "E   repeated_tool_call  find(q='x') gave the same result 4 times (steps 2, 4, 6 and 8)",
    ]
    assert shown[3].startswith("E   bad_tool_call       step 9: ")
    assert "nonsense" in shown[3]
    assert shown[4:] == [
        "E",
        f"E   {HINT}",
        "",
        "test_it.py:10: ",
    ]
    assert "squall: 1 run checked, 1 failed by checks" in done.text
    assert (
        done.line("FAILED")
        == "FAILED test_it.py::test_it - squall: repeated_tool_call at step 6, bad_tool_call at step 9"
    )
    (case,) = done.junit
    assert case[0].attrib["message"] == "squall: repeated_tool_call at step 6, bad_tool_call at step 9"


def test_a_session_without_an_agent_is_told_nothing(suite):
    done = suite("def test_it(): pass")
    assert done.counts == {"passed": 1}
    assert "squall:" not in done.text


def test_a_failing_test_stays_as_it_is_and_shows_what_was_found_besides(suite):
    done = suite("""
def test_it():
    assert agent(LOOP) == "nothing"
""")
    assert "AssertionError: assert 'done' == 'nothing'" in done.text
    assert "- squall: checks -" in done.text
    assert "\nrepeated_tool_call  find(q='x') gave" in done.text
    assert done.counts == {"failed": 1}
    assert "squall: 1 run checked, 1 failed by checks" in done.text


def test_a_test_that_fails_by_its_own_asserts_alone_is_no_failure_by_checks(suite):
    done = suite("""
def test_it():
    assert agent(FINE) == "nothing"
""")
    assert done.counts == {"failed": 1}
    assert "squall: 1 run checked, 0 failed by checks" in done.text


def test_an_agent_that_fails_in_a_fixture_is_shown_what_was_found_besides(suite):
    done = suite("""
@pytest.fixture
def answer():
    agent(LOOP)
    raise RuntimeError("no answer")

def test_it(answer): pass
""")
    assert done.counts == {"errors": 1}
    assert "- squall: checks -" in done.text


def test_a_skipped_test_is_not_judged(suite, report):
    done = suite(
        """
def test_it():
    agent(LOOP)
    pytest.skip("not today")
""",
        report.option,
    )
    assert done.counts == {"skipped": 1}
    assert report.runs[0]["skipped"] == "the test was skipped: not today"
    assert report.runs[0]["verdicts"] == []
    assert report.summary == {"runs": 1, "failed_runs": 0, "skipped_runs": 1, "fired": {}}
    assert "failed by checks" not in done.text


@pytest.mark.parametrize("strict", [False, True])
def test_a_test_that_is_expected_to_fail_does_so_by_its_checks(suite, report, strict):
    done = suite(
        f"""
@pytest.mark.xfail(reason="loops", strict={strict})
def test_it():
    assert agent(LOOP) == "done"
""",
        report.option,
    )
    assert done.counts == {"xfailed": 1}
    assert report.runs[0]["skipped"] == "the test was expected to fail: loops"
    assert report.fired == {"test_it": ["repeated_tool_call"]}
    assert report.summary["failed_runs"] == 0


def test_a_test_that_is_expected_to_fail_and_does_well_surprises(suite):
    done = suite("""
@pytest.mark.xfail
def test_it():
    assert agent(FINE) == "done"
""")
    assert done.counts == {"xpassed": 1}


def test_a_run_that_the_test_checks_itself_is_left_alone(suite, report):
    done = suite(
        """
import squall

def test_it():
    with squall.run("mine") as run:
        agent(LOOP)
    assert [each.check for each in run.check().fired] == ["repeated_tool_call"]
""",
        report.option,
    )
    assert done.counts == {"passed": 1}
    assert [(run["scenario"], run["checked_by_test"]) for run in report.runs] == [("mine", True)]
    assert report.fired == {"test_it": ["repeated_tool_call"]}
    assert report.summary == {"runs": 1, "failed_runs": 0, "skipped_runs": 0, "fired": {}}


def test_a_run_that_the_test_only_names_is_judged_by_its_name(suite, report):
    done = suite(
        """
import squall

def test_it():
    with squall.run("first"):
        agent(FINE)
    with squall.run("second"):
        agent(LOOP)
    agent(LOOP)
""",
        report.option,
    )
    assert done.counts == {"failed": 1}
    assert [run["scenario"] for run in report.runs] == [None, "first", "second"]
    assert [bool(found) for found in report.fired.values()] == [True]
    assert "E   in 'second':" in done.text
    assert report.summary["failed_runs"] == 2


def test_a_run_is_checked_for_the_user_that_it_names(suite, pytester):
    pytester.mkdir(".squall")
    (pytester.path / ".squall/policy.json").write_text('{"tools": {"refund": {"identity_arg": "user"}}}')
    code = """
import squall

def test_it():
    with squall.run("mine", user_id="USER"):
        agent([call("refund", user="u1"), say("done")])
"""
    assert suite(code.replace("USER", "u1")).counts == {"passed": 1}
    done = suite(code.replace("USER", "u2"))
    assert done.counts == {"failed": 1}
    assert "policy" in done.line("FAILED")


def test_worlds_and_models_of_squalls_own_are_judged_once_by_their_own_trace(suite, report, shop):
    done = suite(
        """
import squall

REPLIES = [*(squall.models.call("get_order", id="1") for _ in range(3)), squall.models.say("done")]

def run(model, tools):
    model.script(*REPLIES)
    return agent((), tool=lambda name, arguments: str(tools.get_order(id="1")), client=openai.OpenAI())

@pytest.mark.world("shop.yaml")
def test_fixture(model, tools):
    run(model, tools)

def test_block():
    with squall.world("shop.yaml") as world:
        run(world.model, world.tools)
""".replace("import squall\n", "import openai\nimport squall\nimport squall.models\n"),
        report.option,
    )
    assert done.counts == {"failed": 2}
    assert [(run["test"], run["scenario"], run["model_calls"]) for run in report.runs] == [
        ("test_it.py::test_fixture", None, 4),
        ("test_it.py::test_block", "shop", 4),
    ]


def test_each_run_of_a_gate_is_judged_and_those_with_findings_did_not_pass(suite, report):
    code = """
@pytest.mark.runs(4)
@pytest.mark.min_pass_rate(RATE)
def test_it(request):
    agent(LOOP if request.node.name.endswith("run1]") else FINE)
"""
    done = suite(code.replace("RATE", "0.75"), report.option)
    assert done.counts == {"passed": 1}
    assert "squall: 4 runs checked, 1 failed by checks" in done.text
    done = suite(code.replace("RATE", "0.9"), report.option)
    assert done.counts == {"failed": 1}
    assert "gate: 3 of 4 runs passed, required 90 %" in done.text
    assert "run 1 failed" in done.text
    assert "squall: repeated_tool_call at step 6" in done.text
    assert [run["test"] for run in report.runs] == [f"test_it.py::test_it[run{index}]" for index in range(4)]
    assert report.summary["failed_runs"] == 1


def test_a_test_that_is_run_again_counts_as_it_ended(suite, report):
    done = suite(
        """
tries = []

@pytest.mark.flaky(reruns=1)
def test_it():
    tries.append(1)
    agent(LOOP if len(tries) == 1 else FINE)
""",
        report.option,
        plugins=("rerunfailures",),
    )
    assert done.counts == {"passed": 1, "rerun": 1}
    assert [run["skipped"] for run in report.runs] == ["the test was run again", None]
    assert report.summary["failed_runs"] == 0


def test_a_test_with_subtests_is_judged_when_its_body_has_ended(suite):
    pytest.importorskip("_pytest.subtests")
    done = suite("""
def test_it(subtests):
    with subtests.test("a"):
        agent(FINE)
    with subtests.test("b"):
        agent(LOOP)
""")
    assert done.counts["failed"] == 1
    assert "squall: 1 run checked, 1 failed by checks" in done.text


def test_workers_results_come_together_in_the_order_of_the_tests(suite, report):
    code = """
@pytest.mark.parametrize("n", range(6))
def test_it(n):
    agent(LOOP if n % 3 == 0 else FINE)
"""
    alone = suite(code, report.option)
    here = [(run["test"], run["verdicts"]) for run in report.runs]
    report.path.unlink()
    done = suite(code, "-n2", report.option)
    assert done.counts == alone.counts == {"failed": 2, "passed": 4}
    assert [(run["test"], run["verdicts"]) for run in report.runs] == here
    assert "squall: 6 runs checked, 2 failed by checks" in done.text
    assert "E   repeated_tool_call  find(q='x')" in done.text


def test_what_comes_after_the_body_is_nobodys(suite, report):
    done = suite(
        """
@pytest.fixture
def late():
    yield
    agent(LOOP)

def test_it(late):
    agent(FINE)
""",
        report.option,
    )
    assert done.counts == {"passed": 1}
    assert [run["model_calls"] for run in report.runs] == [2]


LAZY = """
def test_first():
    from suite_agents import LOOP, agent
    assert agent(LOOP) == "done"

def test_second():
    from suite_agents import FINE, agent
    assert agent(FINE) == "done"
"""


def test_an_sdk_that_the_test_itself_imports_is_watched_from_then_on(session, suite, report):
    done = session(LAZY, report.option.replace("out/", ""), apart=True)
    assert done.counts == {"failed": 1, "passed": 1}
    assert "test_first" in done.line("FAILED")
    done = session(LAZY, apart=True)
    assert done.counts == {"failed": 1, "passed": 1}
    assert "squall: 2 runs checked, 1 failed by checks" in done.text
