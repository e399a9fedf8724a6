"""A gate takes in the clean-up of its runs, and not that of fixtures that outlive them."""

from __future__ import annotations

import pytest

GATED = """
    import pytest

    @pytest.fixture(scope="{scope}")
    def database():
        yield
        print("said at the end")
        raise RuntimeError("clean-up of {scope}")

    class TestIt:
        @pytest.mark.runs(4)
        @pytest.mark.min_pass_rate(0.75)
        def test_gate(self, database): pass
"""
GATE = "test_it.py::TestIt::test_gate"


def told_in(case):
    return [child.tag for child in case if child.tag != "properties"]


@pytest.mark.parametrize("scope", ["class", "module", "package", "session"])
def test_the_clean_up_of_a_wider_fixture_is_an_error_of_its_own(session, scope):
    done = session(GATED.format(scope=scope), "-v")
    assert done.ret == 1
    assert done.counts == {"passed": 1, "errors": 1}
    assert f"ERROR {GATE} - RuntimeError: clean-up of {scope}" in done.text
    assert "ERROR at teardown of TestIt.test_gate __" in done.text
    assert "said at the end" in done.text
    assert "4/4" in done.text
    (case,) = done.junit
    assert (case.get("name"), told_in(case)) == ("test_gate", ["error"])
    assert [each.get("value") for each in case.iter("property")] == ["4/4"]


def test_the_clean_up_of_a_run_is_the_runs_own(session):
    done = session(GATED.format(scope="function"))
    assert done.ret == 1
    assert done.counts == {"failed": 1}
    assert "gate: 0 of 4 runs passed, required 75 %" in done.text


def test_what_breaks_in_both_is_told_of_both(session):
    code = """
        import pytest

        @pytest.fixture(scope="module")
        def database():
            yield
            raise OSError("of the module")

        @pytest.fixture
        def row(database, request):
            yield
            if request.node.name == "test_gate[run3]": raise ValueError("of the run")

        @pytest.mark.runs(4)
        @pytest.mark.min_pass_rate({rate})
        def test_gate(row): pass
    """
    lenient, strict = session(code.format(rate=0.75)), session(code.format(rate=1.0))
    assert lenient.counts == {"passed": 1, "errors": 1}
    assert strict.counts == {"failed": 1, "errors": 1}
    assert "3/4" in lenient.text
    assert "gate: 3 of 4 runs passed" in strict.text
    assert "ValueError: of the run" in strict.text
    for done in (lenient, strict):
        assert "OSError: of the module" in done.text
        assert "errors during test teardown" not in done.text


def test_a_fixture_that_gives_up_its_value_for_other_parameters_is_wider_too(session):
    code = """
        import pytest

        @pytest.fixture(scope="module", params=["a", "b"])
        def database(request):
            yield
            if request.param == "{breaks}": raise OSError("planted")

        @pytest.mark.runs(4)
        @pytest.mark.min_pass_rate(0.5)
        def test_gate(database): pass
    """
    done = session(code.format(breaks="a"))
    assert done.ret == 1
    assert done.counts == {"passed": 2, "errors": 1}
    assert "test_it.py::test_gate[b]     3/4" in done.text
    assert session(code.format(breaks="none")).counts == {"passed": 2}


def test_an_interruption_is_no_error_of_a_fixture(session):
    code = GATED.format(scope="module").replace('RuntimeError("clean-up of module")', "KeyboardInterrupt")
    done = session(code, apart=True)
    assert done.ret == 2
    assert "errors" not in done.counts


def test_the_other_modules_fixtures_live_on(session, pytester):
    pytester.makepyfile(
        test_before="""
        def test_it(shared): assert shared == [1]
        """,
        test_then="""
        import pytest

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(1.0)
        def test_gate(shared): assert shared == [1]
        """,
        test_thereafter="""
        def test_it(shared): assert shared == [1]
        """,
    )
    pytester.makeconftest(
        """
        import pytest
        made = []

        @pytest.fixture(scope="session")
        def shared():
            made.append(1)
            yield made
            made.clear()
        """
    )
    assert session().counts == {"passed": 3}


def test_the_debugger_stops_there(session, pytester):
    pytester.makeconftest(
        """
        import pdb
        class Noting(pdb.Pdb):
            def interaction(self, frame, traceback, *rest): print("debugger in", frame or traceback)
        """
    )
    done = session(GATED.format(scope="module"), "--pdb", "--pdbcls=conftest:Noting")
    assert done.text.count("debugger in") == 1


def test_last_failed_runs_the_group_again(session):
    code = GATED.format(scope="class") + "\n    def test_other(): pass\n"
    assert session(code).counts == {"passed": 2, "errors": 1}
    assert session(None, "--lf").counts == {"passed": 1, "errors": 1, "deselected": 1}


def test_stopping_at_the_first_failure_stops_there(session):
    code = GATED.format(scope="class") + "\n    def test_never(): pass\n"
    done = session(code, "-x")
    assert done.counts == {"passed": 1, "errors": 1}


def test_it_is_told_by_xdists_workers(session):
    pytest.importorskip("xdist")
    done = session(GATED.format(scope="module"), "-n1", apart=True)
    assert done.ret == 1
    assert done.counts == {"passed": 1, "errors": 1}
    assert f"ERROR {GATE} - RuntimeError: clean-up of module" in done.text
    assert [told_in(case) for case in done.junit] == [["error"]]
