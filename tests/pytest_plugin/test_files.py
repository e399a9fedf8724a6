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
    assert "Faults of models go under model.chat, model.* or a model's name." in done.text
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


ALIKE = """
    import pytest
    pytestmark = pytest.mark.world("worlds/shop.yaml")

    @pytest.mark.runs(3)
    @pytest.mark.min_pass_rate(1)
    def test_alike(tools): pass

    @pytest.mark.runs(3)
    @pytest.mark.faults("worlds/shop.yaml")
    def test_weather(tools): tools.get_order(id="1")

    @pytest.mark.runs(3)
    @pytest.mark.faults([])
    def test_calm_on_purpose(tools): pass

    def test_single(tools): pass
"""
BLOCK = "faults: { orders.get_order: { latency_ms: 10 } }\n"


def test_runs_that_leave_out_the_faults_of_their_world_file_are_told_once(session, shop):
    world = shop.parent / "worlds" / "shop.yaml"
    world.parent.mkdir()
    world.write_text(shop.read_text(encoding="utf-8") + BLOCK, encoding="utf-8")
    done = session(ALIKE, "-W", "default")
    assert done.counts == {"passed": 8, "warnings": 1}
    assert (
        "\n  test_it.py:2: SquallWarning: test_it.py::test_alike: all 3 runs are alike: nothing is injected; add "
        '@pytest.mark.faults("worlds/shop.yaml") for the faults that stand in its world file '
        "(@pytest.mark.faults([]) says that none is meant)\n"
    ) in done.text
    assert session(None, "test_it.py::test_alike[run1]", "-W", "error").counts == {"passed": 1}
    strict = session(None, "-W", "error")
    assert strict.ret == 4
    assert "all 3 runs are alike" in strict.text


def test_workers_tell_it_once(session, shop):
    shop.write_text(shop.read_text(encoding="utf-8") + BLOCK, encoding="utf-8")
    code = ALIKE.replace("worlds/shop.yaml", "shop.yaml")
    done = session(code, "-n2", "-k", "alike", "-W", "default", apart=True)
    assert done.text.count("all 3 runs are alike") == 1


def test_a_world_file_without_faults_is_left_alone(session, shop):
    done = session(ALIKE.replace("worlds/shop.yaml", "shop.yaml"), "-k", "alike", "-W", "error")
    assert done.counts["passed"] == 1
