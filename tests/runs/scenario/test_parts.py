"""What can still be understood of a scenario in which something is wrong, whatever its file says."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squall.documents import load, parse
from squall.errors import Problem, UsageError
from squall.runs.scenario import load_scenario
from squall.runs.scenario.parts import parts_of
from tests.runs.scenario.texts import LARGE, STEPPED, fault


def parts(text):
    return parts_of(parse(text, format="toml", name="x.toml"))


def test_of_what_is_right_nothing_is_missing():
    found = parts(STEPPED + fault("timeout", step=1))
    assert (found.problems, found.unread) == ([], frozenset())
    assert found.spec.steps[1].tool == "pay"


@pytest.mark.parametrize(
    ("wrong", "kept"),
    [
        ("[scenario]\nnam = 'x'\nseed = 5\n", lambda spec: spec.scenario.seed == 5),
        ("world = 7\n[scenario]\nname = 'x'\nseed = 5\n", lambda spec: (spec.world, spec.scenario.seed) == (None, 5)),
        (
            "[scenario]\nname = 'x'\n[[steps]]\ntol = 'a'\n[[steps]]\ntool = 'b'\n",
            lambda spec: spec.steps[1].tool == "b",
        ),
        ("[scenario]\nname = 'x'\n[[steps]]\ntool = 'a'\nwrites = 3\n", lambda spec: spec.steps[0].tool == "a"),
        ("[scenario]\nname = 'x'\nsteps = 5\n", lambda spec: spec.steps == []),
        ("faults = 5\n[scenario]\nname = 'x'\n", lambda spec: spec.faults == []),
        ("[scenario]\nname = 'x'\n[limits]\nsteps = 0\ntokens = 9\n", lambda spec: spec.limits.tokens == 9),
        ("[scenario]\nname = 'x'\n[expect]\nstatus = 0\nchecks = ['a']\n", lambda spec: spec.expect.checks == ["a"]),
        (
            "[scenario]\nname = 'x'\n[expect]\nproperties = ['a.b', 7]\n",
            lambda spec: spec.expect.properties[0] == "a.b",
        ),
        ("expect = 3\n[scenario]\nname = 'x'\n", lambda spec: spec.expect.status == "completed"),
    ],
)
def test_what_holds_is_kept(wrong, kept):
    found = parts(wrong)
    assert found.problems
    assert kept(found.spec)


def test_faults_that_could_not_be_read_are_known():
    found = parts(STEPPED + fault("timeout", step=0) + fault("timeout", step="x") + "\n[[faults]]\nstep = 1\n")
    assert found.unread == {1, 2}
    assert [each.kind for each in found.spec.faults] == ["timeout", "timeout", ""]


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["timeout", "step", "world.yaml"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in items for place in places(item, (*at, key)))]


def put(data: Any, at: tuple[Any, ...], value: Any) -> Any:
    data = copy.deepcopy(data)
    if not at:
        return value
    inner = data
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return data


def whole(text):
    return parse(text, format="toml", name="x").data


SEVERAL = whole(
    STEPPED
    + fault("timeout", step=1, phase="late", late_by=5)
    + fault("stale_memory", step=0, value="x")
    + '\n[expect]\nstatus = "completed"\nchecks = ["no_answer"]\nanswer_contains = ["a"]\n'
    + "[limits]\nsteps = 9\n[prices]\ncall = 1\n"
)
BOTH = whole(
    LARGE
    + fault("timeout", target="payments.issue_refund", nth=1)
    + fault("http_503", target="model.chat", probability=0.5)
    + '\n[expect]\nproperties = [{ property = "exactly_once", table = "refunds", by = "order", of = ["7"] }]\n'
    + "[limits]\ntokens = 9\nseconds = 5\n"
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), base=st.sampled_from([SEVERAL, BOTH]))
def test_whatever_a_file_says_it_is_a_scenario_or_a_list_of_what_is_wrong(lab, data, base):
    at = data.draw(st.sampled_from(places(base)))
    changed = put(base, at, data.draw(ANYTHING))
    path = lab.folder / "any.json"
    try:
        path.write_bytes(msgspec.json.encode(changed))
    except (ValueError, OverflowError):  # no file could hold it
        return
    problems: tuple[Problem, ...] = ()
    try:
        scenario = load_scenario(path)
    except UsageError as error:
        problems = error.problems
    else:
        assert scenario.digest
        assert load(path).data["scenario"]["name"] == scenario.name
    assert all(each.message and each.at is not None for each in problems)
