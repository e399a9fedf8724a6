from __future__ import annotations

import re

import pytest

from squall.explore import Coverage, Line
from squall.reports.page.coverage_matrix import legend, matrices, step_of

EMPTY = Coverage("A claim.", (), (), (), (), {}, 0, 0, 0, (), (), "", "")


def line(target="a.b", kind="timeout", phase="after", wire="tool", **numbers):
    given = {"seen": 2, "revealed": 0, "faulted": 2, "bad": 0, "calm": 2, "calm_faulted": 2} | numbers
    return Line(wire, target, kind, phase, **given)


def plain(markup):
    return " ".join(re.sub("<[^>]+>", " ", markup).split())


@pytest.mark.parametrize(
    ("numbers", "step"),
    [
        ({}, "all"),
        ({"bad": 1}, "none"),
        ({"faulted": 0, "calm_faulted": 0}, "unmet"),
        ({"seen": 5}, "most"),
        ({"faulted": 1, "calm_faulted": 1}, "half"),
        ({"seen": 3, "calm": 0, "calm_faulted": 0}, "half"),
    ],
)
def test_a_colour_says_whether_it_failed_and_how_much_was_tried(numbers, step):
    assert step_of(line(**numbers)) == step


def test_every_colour_is_in_the_legend():
    assert {"none", "all", "most", "half", "unmet"} <= set(re.findall(r"swatch (\w+)", legend()))


def test_tools_models_and_what_is_beside_the_calls_have_a_table_each():
    lines = (
        line("asks.step0", "repeated_call"),
        line("orders.paid", "delay", wire="event"),
        line("session.list_tools", "paged_tools", wire="session"),
        line("step0.pay"),
        line("model.chat", "clean_eof", wire="model"),
    )
    coverage = Coverage(
        **{name: getattr(EMPTY, name) for name in EMPTY.__struct_fields__ if name != "lines"}, lines=lines
    )
    tools, models, beside = map(plain, matrices(coverage))
    assert tools.startswith("Calls of tools ")
    assert "timeout after the effect held 2 of 2" in tools
    assert "clean_ eof held 2 of 2" in models  # a phase says nothing there
    assert "repeated_ call held 2 of 2" in beside
    assert "paged_ tools" in beside
    assert "paged_ tools" not in tools


def test_a_cell_without_points_says_why():
    lines = (line("a.b"), line("a.c", "empty_result", "before"), line("a.c", phase="before"))
    fields = {name: getattr(EMPTY, name) for name in EMPTY.__struct_fields__}
    coverage = Coverage(**fields | {"lines": lines, "left_out": (("a.b", "empty_result"),)})
    (only,) = matrices(coverage)
    rows = [plain(row) for row in re.findall(r"<tr>(.*?)</tr>", only)]
    assert rows[1] == "empty_ result before the effect left out held 2 of 2"
    assert rows[2] == "timeout after the effect held 2 of 2 no other phase here"
    assert rows[3] == "timeout before the effect no other phase here held 2 of 2"


def test_many_targets_may_be_scrolled():
    fields = {name: getattr(EMPTY, name) for name in EMPTY.__struct_fields__}
    (only,) = matrices(Coverage(**fields | {"lines": tuple(line(f"a.{place}") for place in range(9))}))
    assert 'class="heat many"' in only
    assert 'tabindex="0"' in only
