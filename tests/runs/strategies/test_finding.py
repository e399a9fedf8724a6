from __future__ import annotations

import sys
from textwrap import dedent

import pytest

from squall import UsageError
from squall.runs.strategies.finding import alike, strategy_named, strategy_of_command
from tests.runs.strategies.scenarios import TWO

OWN = """
from squall.strategies import Result


class Own:
    name = "own"

    async def run(self, task, env):
        return Result("completed", [await env.call(step) async for step in env.steps()])


class Careful(Own):
    name = "careful"
    deterministic = True

    def __init__(self, times=3):
        self.parameters = {"times": times}


READY = Careful(times=7)
NUMBER = 7


class NoName(Own):
    name = ""


class Sync(Own):
    def run(self, task, env):
        return None


class NoRun:
    name = "no run"


class TooFew(Own):
    async def run(self):
        return None


class Needs(Own):
    def __init__(self, times):
        self.times = times


class Odd(Own):
    parameters = {"odd": {1, 2}}


class List(Own):
    parameters = ["a"]


class Almost(Own):
    deterministic = "yes"


class Impostor(Own):
    name = "resilient"
    parameters = {"retries": 2}
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """`own(text)` writes a module of the current folder, `mine` unless it is called otherwise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)

    def write(text=OWN, name="mine.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text))

    yield write
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def told(name):
    with pytest.raises(UsageError) as raised:
        strategy_named(name)
    return str(raised.value)


def test_the_built_in_ones_are_deterministic_and_know_their_parameters():
    found = {each.id.name: each.id for each in map(strategy_named, ("baseline", "resilient", "careless"))}
    assert list(found) == ["baseline", "resilient", "careless"]
    assert all(each.deterministic and len(each.digest) == 64 for each in found.values())
    assert found["resilient"].parameters == {"retries": 2}
    assert found["resilient"].how == "resilient"


def test_a_class_and_an_object_of_the_current_folder_are_found(own, lab):
    own()
    ready, class_ = map(strategy_named, ("mine:READY", "mine:Own"))
    assert (ready.id.name, ready.id.parameters, ready.id.deterministic) == ("careful", {"times": 7}, True)
    assert (class_.id.name, class_.id.parameters, class_.id.deterministic) == ("own", {}, False)
    assert class_.id.how == "mine:Own"
    assert lab.run(TWO, class_).met
    assert lab.run(TWO, ready).met
    assert class_.make()._strategy is not class_.make()._strategy
    assert ready.make()._strategy is ready.make()._strategy


def test_only_true_is_a_promise(own):
    own()
    assert strategy_named("mine:Almost").id.deterministic is False


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine:NUMBER", "'mine:NUMBER' is no strategy: it has no name (7)\n    A strategy has a name"),
        ("mine:NoName", "'mine:NoName' is no strategy: it has no name (<class 'mine.NoName'>)"),
        ("mine:Sync", "'mine:Sync' is no strategy: its run is no async def (<class 'mine.Sync'>)"),
        ("mine:NoRun", "'mine:NoRun' is no strategy: it has no run (<class 'mine.NoRun'>)"),
        ("mine:TooFew", "'mine:TooFew' is no strategy: its run does not take task and env (<class 'mine.TooFew'>)"),
        ("mine:Needs", "the strategy 'mine:Needs' cannot be made: TypeError: "),
        ("mine:Odd", "the parameters of the strategy 'own' are {'odd': {1, 2}}, which is not JSON-ready"),
        ("mine:List", "the parameters of the strategy 'own' are ['a'], which is not JSON-ready"),
        ("mine:Owm", "mine has no 'Owm'; did you mean 'Own'?"),
        ("mine:", "mine has no ''"),
        (":Own", "the module of ':Own' cannot be imported: ValueError"),
        ("mine.py:Own", "'mine.py:Own' names a file, and not a module; did you mean 'mine:Own'?"),
        ("agents/mine.py:Own", "did you mean 'agents.mine:Own'?"),
        (
            "nowhere:Own",
            "the module of 'nowhere:Own' cannot be imported: ModuleNotFoundError: No module named 'nowhere'",
        ),
        ("broken:Own", "the module of 'broken:Own' cannot be imported: ZeroDivisionError: division by zero"),
        ("script:Own", "the module of 'script:Own' cannot be imported: SystemExit: 3"),
        (
            "carless",
            "'carless'; did you mean 'careless'?\n    There are baseline, resilient, careless",
        ),
    ],
)
def test_what_is_none_is_told_with_what_to_do(own, name, message):
    own()
    own("1 / 0", "broken.py")
    own("import sys\nsys.exit(3)", "script.py")
    assert message in told(name)
    assert len(told(name).splitlines()) == 2


def test_two_that_are_called_the_same_cannot_be_told_apart(own):
    own()
    (problem,) = alike(map(strategy_named, ("resilient", "mine:Impostor", "baseline")))
    assert problem.message == "'resilient' and 'mine:Impostor' are both called 'resilient', with the same parameters"
    several = [*map(strategy_named, ("mine:Careful", "mine:READY")), *map(strategy_of_command, ("true 1", "true 2"))]
    assert [each.id.name for each in several[2:]] == ["true", "true"]
    assert alike(several) == []
