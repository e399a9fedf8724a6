from __future__ import annotations


def test_what_is_wrong_in_a_file_is_told_with_its_own_place(session, shop):
    shop.write_text(shop.read_text().replace("kind: get", "kind: gte"), encoding="utf-8")
    done = session("import pytest\n@pytest.mark.world('shop.yaml')\ndef test_it(world): pass")
    assert done.ret == 4
    assert "shop.yaml:10:" in done.text
    assert "did you mean 'get'?" in done.text
    assert "Traceback" not in done.text


def test_what_is_wrong_in_a_plan_is_told_with_its_place(session, shop, pytester):
    (pytester.path / "plan.yaml").write_text("faults:\n  payments.issue_refnd: { errors: { timeout: 0.1 } }\n")
    code = """
        import pytest
        pytestmark = pytest.mark.world("shop.yaml")

        @pytest.mark.faults("plan.yaml")
        def test_file(): pass

        @pytest.mark.faults({"payments.issue_refund": {"errors": {"timeuot": 0.1}}})
        def test_inline(): pass
    """
    done = session(code)
    assert done.ret == 4
    assert "plan.yaml:2:3" in done.text
    assert "did you mean 'payments.issue_refund'?" in done.text
    assert "did you mean 'timeout'?" in done.text
    assert "test_it.py:7:9" in done.text


def test_a_plan_without_a_world_is_a_usage_error(session):
    code = """
        import pytest

        @pytest.mark.faults({"payments.issue_refund": {"errors": {"timeout": 0.1}}})
        def test_it(): pass

        @pytest.mark.faults({}, limits={"seconds": 3})
        def test_limits_alone(clock): assert clock.limit == 3
    """
    done = session(code)
    assert done.ret == 4
    assert "test_it.py:3:9: these faults need a world to happen in" in done.text
    assert session(code, "-k", "limits").counts["passed"] == 1


def test_a_limit_that_does_not_exist_is_told_at_the_mark(session, shop):
    code = """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.faults([], limits={"second": 3})
        def test_it(): pass
    """
    done = session(code)
    assert done.ret == 4
    assert "test_it.py:4:9: unknown limit 'second'; did you mean 'seconds'?" in done.text


def test_a_file_is_looked_at_once_however_many_runs_name_it(session, pytester, shop):
    shop.write_text("services: {a: {records: {b: {c: srt}}}}", encoding="utf-8")
    code = """
        import pytest
        pytestmark = pytest.mark.world("shop.yaml")

        @pytest.mark.runs(50)
        def test_it(): pass

        def test_other(): pass
    """
    done = session(code)
    assert done.ret == 4
    assert done.text.count("srt") == 1
