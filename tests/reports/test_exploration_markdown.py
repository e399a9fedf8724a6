from __future__ import annotations

from msgspec.structs import replace

from squall.explore import Line
from squall.reports.exploration_markdown import LARGEST, MOST_FAILURES, MOST_LINES, markdown

MOST_OF_A_SUMMARY = 1024 * 1024


def test_the_claim_the_failures_and_what_was_tried_are_there(exploration):
    text = markdown([exploration])
    assert text.startswith("### squall: Every single fault (9) and every pair (12)")
    assert "  - timeout, after the effect, at payments.issue\\_refund\n" in text
    assert "  - <code>squall replay kept/0.json</code>\n" in text
    assert "| payments.issue\\_refund | timeout (after) | 1 of 1, 1 of 1 behind a fault | 1 |" in text
    assert "| payments.list\\_refunds | timeout (after) | 1 of 1 behind a fault | – |" in text
    assert "What this does not show" in text


def test_what_failed_and_what_was_not_tried_come_first(exploration):
    rows = [line for line in markdown([exploration]).splitlines() if line.startswith("| ")][2:]
    assert [row.endswith("| 1 |") for row in rows] == [True] * 2 + [False] * 10
    untried = Line("tool", "z.z", "timeout", "after", 2, 0, 0, 0, 2, 0)
    coverage = replace(exploration.coverage, lines=(*exploration.coverage.lines, untried))
    rows = [line for line in markdown([exploration._replace(coverage=coverage)]).splitlines() if "| z.z |" in line]
    assert rows == ["| z.z | timeout (after) | never fired (0 of 2) | – |"]


def test_several_have_a_heading_each(exploration):
    text = markdown([exploration, exploration._replace(name="other", failures=())])
    assert text.startswith("### squall: 1 of 2 that were explored failed\\: 1 failure.")
    assert "#### other: Every single fault" in text


def test_it_fits_the_summary_of_a_job_however_much_there_is(exploration):
    lines = tuple(replace(exploration.coverage.lines[0], target=f"t.{place}") for place in range(MOST_LINES + 5))
    large = exploration._replace(
        coverage=replace(exploration.coverage, lines=lines), failures=exploration.failures * (MOST_FAILURES + 3)
    )
    text = markdown([large])
    assert "3 more failures not shown here." in text
    assert "And 5 more rows in which nothing failed." in text
    assert len(markdown([large] * 400).encode()) < MOST_OF_A_SUMMARY
    assert LARGEST < MOST_OF_A_SUMMARY


def test_names_are_text(exploration):
    text = markdown([exploration._replace(name="<b>|`x`*\u202e")])
    assert "<b>" not in text.replace("<code>", "")
    assert "\u202e" not in text
