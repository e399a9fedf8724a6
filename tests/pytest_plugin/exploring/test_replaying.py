"""A kept failure runs again: exactly, or at the same arrival, in any folder and process; the words say which."""

from __future__ import annotations

import json
import shutil

import pytest

REFUND = """
import pytest, squall
from explored_agents import agent

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(kinds=["timeout"])
def test_refund(tools, world):
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    agent(tools)

@pytest.mark.world("shop.yaml")
def test_other(tools):
    pass
"""


def replayed(session, file, code=None, *args):
    return session(code, *args, f"--squall-replay={file}")


@pytest.fixture
def file(session):
    done = session(REFUND)
    assert done.counts == {"failed": 1, "passed": 1}
    (path,) = (done.folder / ".squall" / "regressions").glob("*.json")
    return path


def test_the_failure_is_reproduced_and_only_its_test_runs(session, file):
    done = replayed(session, file)
    assert done.counts == {"failed": 1, "deselected": 1}
    assert "reproduced: at_most_once at test_it.py:7" in done.text
    assert "each fault at its own point" in done.text
    assert "refund 2 inserted, the same as 1" in done.text


def test_it_is_reproduced_in_a_new_process_from_a_copy_in_another_folder(session, file, pytester, monkeypatch):
    elsewhere = pytester.path.parent / f"{pytester.path.name}-copied"
    shutil.copytree(pytester.path, elsewhere)
    for path in pytester.path.glob("*.py"):
        path.unlink()
    monkeypatch.chdir(elsewhere)
    command = json.loads(file.read_text())["how"].split(" ", 1)[1].replace('"', "").split(" ")
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", *command)
    assert done.ret == 1
    done.stdout.fnmatch_lines(["rootdir: *-copied", "*reproduced: at_most_once at test_it.py:7*"])


def test_a_failure_that_is_mended_passes_now(session, file):
    once = "    try:\n        tools.issue_refund(order='1', amount=40)\n    except TimeoutError:\n        pass\n"
    done = replayed(session, file, REFUND.replace("    agent(tools)\n", once))
    assert done.counts == {"passed": 1, "deselected": 1}
    assert "passes now: all faults fired, and nothing was violated" in done.text
    assert file.exists()


def test_a_fault_that_finds_no_call_any_more_is_no_pass(session, file):
    done = replayed(session, file, REFUND.replace("    agent(tools)\n", "    pass\n"))
    assert done.counts == {"failed": 1, "deselected": 1}
    assert "fault not fired: timeout (after) at payments.issue_refund" in done.text


def test_a_call_with_other_arguments_is_met_by_its_arrival_and_that_is_said(session, file, refunds):
    agents = refunds / "explored_agents.py"
    agents.write_text(agents.read_text().replace("amount=40", "amount=41"))
    done = replayed(session, file)
    assert done.counts == {"failed": 1, "deselected": 1}
    assert "reproduced: at_most_once at test_it.py:7" in done.text
    assert "not exactly, but at the same arrival: payments.issue_refund" in done.text


def test_another_failure_is_a_divergence(session, file):
    done = replayed(session, file, REFUND.replace("    agent(tools)\n", "    agent(tools)\n    assert 1 == 2\n"))
    assert done.counts == {"failed": 1, "deselected": 1}
    assert "diverged at event" in done.text


def test_edits_above_the_failure_move_no_name(session, file):
    done = replayed(session, file, "# a line more\n" + REFUND)
    assert "reproduced: at_most_once" in done.text


def test_what_has_changed_since_is_named(session, file, refunds):
    path = refunds / "shop.yaml"
    path.write_text(path.read_text() + "\n# a remark\n")
    assert "Changed since it was kept: the world file." in replayed(session, file).text


def test_the_test_may_have_another_path_or_name_where_it_is_the_only_one(session, file, pytester):
    done = replayed(session, file, REFUND.replace("test_refund", "test_renamed"), "test_it.py::test_renamed")
    assert done.counts == {"failed": 1}
    assert "reproduced" in done.text
    done = replayed(session, file, REFUND.replace("test_refund", "test_renamed"))
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "the test of this failure, test_it.py::test_refund, was not collected" in done.text


def test_what_is_no_such_file_is_a_usage_error(session, pytester):
    done = session(REFUND, "--squall-replay=nothing.json")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "cannot read" in done.text
    (pytester.path / "odd.json").write_text('{"squall_regression": 99}')
    assert "regression format 99 is not known" in session(None, "--squall-replay=odd.json").text
    assert f"did you mean '{pytester.path / 'odd.json'}'?" in session(None, "--squall-replay=od.json").text


def test_a_kept_failure_is_run_first_by_the_next_exploration_and_told_of(session, file):
    again = session(None)
    assert f"{file.name}: reproduced: at_most_once at test_it.py:7" in again.text
    mended = session(REFUND.replace("agent(tools)", "careful(tools)").replace("import agent", "import careful"))
    assert mended.counts == {"passed": 2}
    assert f"{file.name}: passes now: all faults fired, and nothing was violated" in mended.text


def test_a_kept_failure_whose_call_has_other_arguments_by_now_is_met_at_the_same_arrival(session, file, pytester):
    agents = pytester.path / "explored_agents.py"
    agents.write_text(agents.read_text().replace("amount=40", "amount=41"))
    again = session(None)
    assert again.counts == {"failed": 1, "passed": 1}
    lines = " ".join(again.text.split())
    assert f"{file.name}: reproduced: at_most_once at test_it.py:7" in lines
    assert "(not exactly, but at the same arrival)" in lines
    assert list(file.parent.glob("*.json")) == [file]
    mended = session(REFUND.replace("agent(tools)", "careful(tools)").replace("import agent", "import careful"))
    assert mended.counts == {"passed": 2}
    lines = " ".join(mended.text.split())
    assert "passes now: all faults fired, and nothing was violated (not exactly, but at the same arrival)" in lines


def test_a_kept_failure_whose_call_is_not_made_any_more_is_not_fired(session, file):
    gone = session(REFUND.replace("    agent(tools)", '    tools.list_refunds(order="1")'))
    assert "fault not fired: timeout (after) at payments.issue_refund" in " ".join(gone.text.split())


def test_the_same_failure_found_again_makes_no_second_file(session, file):
    session("# moved by a line\n" + REFUND)
    assert list(file.parent.glob("*.json")) == [file]


def test_a_file_that_holds_no_failure_is_warned_of(session, file):
    (file.parent / "odd.json").write_text("{}")
    done = session(None, "-W", "default")
    assert done.counts == {"failed": 1, "passed": 1, "warnings": 1}
    assert "odd.json: this is no regression file" in done.text


def test_the_seed_of_the_failure_is_that_of_the_replay(session):
    code = REFUND.replace("agent(tools)", "agent(tools)\n    assert world.seed == 7")
    done = session(code, "--squall-seed=7")
    (path,) = (done.folder / ".squall" / "regressions").glob("*.json")
    assert "reproduced: at_most_once" in replayed(session, path).text


def test_a_fault_that_cannot_be_made_any_more_is_told(session, file):
    file.write_text(file.read_text().replace('"kind": "timeout"', '"kind": "gone"'))
    done = session(None, f"--squall-replay={file}")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "a fault of this file cannot be made here: gone" in done.text
    assert session(None, "-W", "default").counts == {"failed": 1, "passed": 1, "warnings": 1}


def test_where_nothing_can_be_written_the_failure_is_told_all_the_same(session, pytester):
    (pytester.path / ".squall").write_text("in the way")
    done = session(REFUND)
    assert done.counts == {"failed": 1, "passed": 1}
    assert "(it is not kept as a file: cannot write" in done.text
