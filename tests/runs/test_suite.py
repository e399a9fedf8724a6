"""A suite, `runs/suite.py`: its matrix, what is found, and what an unfinished one remembers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from squall.errors import UsageError
from squall.runs import suite
from squall.runs.suite import Cell, Done, Progress, Wanted, cells_of, loaded, run_suite, scenario_files
from squall.store import Runs

SCENARIO = """
[scenario]
name = "NAME"
seed = 5
[[steps]]
tool = "pay"
arguments = { amount = 40 }
result = { payment = "p_1" }
"""
FICKLE = """
from squall.strategies import Result

class Fickle:
    name = "fickle"

    async def run(self, task, env):
        return Result("completed", [await env.call(step) async for step in env.steps()])
"""


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(name):
        path = tmp_path / f"{name}.toml"
        path.write_text(SCENARIO.replace("NAME", name), encoding="utf-8")
        return path.relative_to(tmp_path)

    return make


@pytest.fixture
def fickle(tmp_path, monkeypatch):
    """A strategy that promises nothing, under a name of its own in each test."""
    name = f"fickle_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(FICKLE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"{name}:Fickle"


def run(wanted, output="runs", jobs=1):
    told: list[Done] = []
    records = run_suite(loaded(wanted), Path(output), jobs=jobs, told=told.append)
    return records, [done.fresh for done in told]


def test_the_matrix_goes_by_scenario_then_strategy_then_seed(scenario):
    wanted = Wanted((scenario("a"), scenario("b")), ("baseline", "resilient"), seeds=(1, 2))
    assert loaded(wanted).cells == tuple(
        Cell(place, strategy, seed) for place in (0, 1) for strategy in (0, 1) for seed in (1, 2)
    )


def test_without_seeds_each_scenario_has_its_own(scenario):
    whole = loaded(Wanted((scenario("a"),), ("baseline",)))
    assert [cell.seed for cell in cells_of(whole.wanted, whole.scenarios)] == [5]


def test_records_come_in_the_matrixs_order_and_are_stored(scenario):
    records, fresh = run(Wanted((scenario("b"), scenario("a")), ("resilient", "baseline"), seeds=(2, 1)))
    assert [(each.scenario, each.strategy, each.seed) for each in records] == [
        (name, strategy, seed) for name in ("b", "a") for strategy in ("resilient", "baseline") for seed in (2, 1)
    ]
    assert fresh == [True] * 8
    assert len(list(Runs(Path("runs")))) == 8


def test_what_is_stored_is_found_and_the_rest_is_made(scenario):
    run(Wanted((scenario("a"),), ("baseline",)))
    records, fresh = run(Wanted((scenario("a"),), ("baseline", "careless")))
    assert fresh == [False, True]
    assert [each.strategy for each in records] == ["baseline", "careless"]


def test_a_strategy_that_promises_nothing_is_sampled_afresh_once_its_suite_is_whole(scenario, fickle):
    wanted = Wanted((scenario("a"),), (fickle,), seeds=(1, 2))
    assert [[each.sample for each in run(wanted)[0]] for _ in range(2)] == [[0, 0], [1, 1]]


def test_an_unfinished_suite_goes_on_with_the_samples_that_it_has(scenario, fickle):
    whole = loaded(Wanted((scenario("a"),), (fickle,), seeds=(1, 2, 3)))
    told = []

    def interrupt(done):
        told.append(done)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_suite(whole, Path("runs"), told=interrupt)
    records, fresh = run(whole.wanted)
    assert [(each.sample, new) for each, new in zip(records, fresh, strict=True)] == [(0, False), (0, False), (0, True)]
    assert not list(Path("runs").glob(".suite-*"))


def test_another_suite_does_not_go_on_where_this_one_was(scenario, fickle):
    one, other = (loaded(Wanted((scenario("a"),), (fickle,), seeds=seeds)) for seeds in ((1, 2), (1, 3)))
    Path("runs").mkdir()
    with closing(Progress(Path("runs"), one)) as first:
        (record,), _ = run(Wanted((scenario("a"),), (fickle,), seeds=(1,)))
        first.note(one.cells[0], record)
    with closing(Progress(Path("runs"), one)) as again, closing(Progress(Path("runs"), other)) as elsewhere:
        assert again.sample(one.cells[0]) == 0
        assert elsewhere.sample(other.cells[0]) is None


def test_half_a_line_of_a_killed_process_is_not_taken_for_a_whole_one(scenario, fickle):
    whole = loaded(Wanted((scenario("a"),), (fickle,), seeds=(1, 2)))
    Path("runs").mkdir()
    Progress(Path("runs"), whole).close()
    (path,) = Path("runs").glob(".suite-*")
    path.write_text("0 0 1 0\n0 0")
    with closing(Progress(Path("runs"), whole)) as again:
        assert [again.sample(cell) for cell in whole.cells] == [0, None]


def test_strategies_that_promise_the_same_leave_nothing_to_remember(scenario):
    whole = loaded(Wanted((scenario("a"),), ("baseline",)))
    Path("runs").mkdir()
    Progress(Path("runs"), whole).close()
    assert list(Path("runs").iterdir()) == []


def test_what_was_swept_up_is_told(scenario):
    room = Path("runs/.writing-x/1-a-baseline-0123456789ab")
    room.mkdir(parents=True)
    heard: list[str] = []
    whole = loaded(Wanted((scenario("a"),), ("baseline",)))
    run_suite(whole, Path("runs"), told=lambda _done: None, said=heard.append)
    (sentence,) = heard
    assert "a-baseline-0123456789ab" in sentence


def test_folders_are_searched_in_order_and_named_files_are_taken_as_they_are(scenario):
    for name in ("b", "a"):
        scenario(name)
    Path("deep/.hidden").mkdir(parents=True)
    Path("deep/c.toml").write_text(Path("a.toml").read_text())
    Path("deep/.hidden/d.toml").write_text(Path("a.toml").read_text())
    Path("deep/world.yaml").write_text("services: {}\n")
    Path("deep/broken.toml").write_text("[scenario]\nname = \n")
    found = scenario_files([Path("b.toml"), Path(), Path("nowhere.toml")])
    names = [path.as_posix() for path in found]
    assert names == ["b.toml", "a.toml", "deep/broken.toml", "deep/c.toml", "nowhere.toml"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "[scenario]\nname = \n"),
        ("a.yaml", "task: x\nscenario: { name: [ }\n"),
        ("a.json", '{\n  "scenario": {"name": }\n}'),
    ],
)
def test_a_broken_file_that_is_meant_for_a_scenario_is_not_passed_over(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    (tmp_path / "other.yaml").write_text("a: [\n# scenario: none\n")
    assert scenario_files([tmp_path]) == (tmp_path / name,)


def test_stored_runs_are_not_looked_through_for_scenarios(scenario):
    scenario("a")
    Path("runs/a-baseline-0").mkdir(parents=True)
    for name in ("run.json", "trace.jsonl"):
        Path("runs/a-baseline-0", name).write_text("[scenario]")
    assert scenario_files([Path()]) == (Path("a.toml"),)


def test_only_what_is_hidden_in_a_folder_is_passed_over_and_not_the_way_to_it(scenario, monkeypatch):
    Path(".cache/all").mkdir(parents=True)
    Path(".cache/all/a.toml").write_text(scenario("a").read_text())
    Path("deep").mkdir()
    whole = Path(".cache/all").absolute()
    monkeypatch.chdir("deep")
    assert scenario_files([whole]) == (whole / "a.toml",)
    assert scenario_files([Path("../.cache/all")]) == (Path("../.cache/all/a.toml"),)


def test_all_that_is_wrong_is_said_at_once(scenario):
    Path("bad.toml").write_text("[scenario]\n")
    first = scenario("a")
    Path("copy.toml").write_text(first.read_text())
    wanted = Wanted((first, Path("copy.toml"), Path("bad.toml")), ("baselin", "resilient", "resilient"))
    with pytest.raises(UsageError) as raised:
        loaded(wanted)
    said = str(raised.value)
    for words in (
        "bad.toml",
        "there is no strategy 'baselin'",
        "several scenarios are called 'a'",
        "'resilient' and 'resilient' are both called 'resilient', with the same parameters",
    ):
        assert words in said


def test_who_interrupts_a_suite_in_several_processes_hears_what_it_waits_for(scenario, monkeypatch):
    heard: list[str] = []

    def interrupted(*_futures, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(suite, "wait", interrupted)
    whole = loaded(Wanted((scenario("a"),), ("baseline",), seeds=tuple(range(suite.CHUNK + 1))))
    with pytest.raises(KeyboardInterrupt):
        run_suite(whole, Path("runs"), jobs=2, told=lambda _done: None, said=heard.append)
    assert heard == ["interrupted: the runs that are under way may end (once more to end at once)"]
