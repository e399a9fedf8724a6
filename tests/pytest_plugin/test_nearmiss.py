from __future__ import annotations

import pytest

NEAR = {
    'fault("plan.yaml")': "faults",
    "run(3)": "runs",
    "min_passrate(0.9)": "min_pass_rate",
    'wolrd("shop.yaml")': "world",
    'clcok("wall")': "clock",
    'check(policy="strict.toml")': "checks",
}


@pytest.mark.parametrize("mark", NEAR)
def test_a_marker_that_is_nearly_squalls_is_a_usage_error(session, mark):
    code = f"""
        import pytest

        @pytest.mark.{mark}
        def test_it(): raise SystemError("it ran")
    """
    done = session(code, "-W", "ignore")
    name = mark.partition("(")[0]
    assert done.ret == 4
    assert (
        f"ERROR: test_it.py:3:9: nobody knows the marker '{name}'; did you mean '{NEAR[mark]}'?\n"
        "    If it is yours, register it under `markers` in pytest's ini file.\n"
    ) in done.text
    assert "it ran" not in done.text


def test_beside_squalls_own_a_near_miss_is_one_without_a_value_too(session, shop):
    code = """
        import pytest
        pytestmark = pytest.mark.worlds

        def test_it(trace): raise SystemError("it ran")
    """
    done = session(code, "-W", "ignore")
    assert done.ret == 4
    assert "test_it.py:2:21: nobody knows the marker 'worlds'; did you mean 'world'?" in done.text


def test_labels_and_registered_and_distant_markers_are_left_alone(session, pytester):
    (pytester.path / "pytest.ini").write_text("[pytest]\nmarkers =\n    run(order): ours\n    fault: ours too\n")
    code = """
        import pytest

        @pytest.mark.run(3)
        @pytest.mark.fault("injection")
        def test_registered(trace): pass

        @pytest.mark.worlds
        def test_label(): pass

        @pytest.mark.slow(3)
        @pytest.mark.default("x")
        @pytest.mark.block("x")
        def test_distant(trace): pass
    """
    assert session(code, "-W", "ignore").counts == {"passed": 3}


def test_near_misses_are_told_beside_other_problems_and_once_per_place(session):
    code = """
        import pytest

        @pytest.mark.run(3)
        @pytest.mark.min_pass_rate(95)
        @pytest.mark.parametrize("case", "abc")
        def test_it(case): pass
    """
    done = session(code, "-W", "ignore")
    assert done.ret == 4
    assert done.text.count("did you mean 'runs'?") == 1
    assert "ERROR: test_it.py:4:9: a pass rate is a number" in done.text
    assert "ERROR: 2 problems, so nothing was run" in done.text


def test_workers_report_near_misses_as_one_usage_error(session):
    done = session("import pytest\n@pytest.mark.run(3)\ndef test_it(): pass", "-n2", "-W", "ignore", apart=True)
    assert done.ret == 4
    assert done.text.count("did you mean 'runs'?") == 1
    assert "Traceback" not in done.text
