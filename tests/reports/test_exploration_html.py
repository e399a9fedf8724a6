"""The page of an exploration: what stands in it, that it is safe, and that its bytes are the same each time."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from squall.decide import Point
from squall.explore import Choice, Coverage, Line
from squall.reports.exploration import Exploration, Failure
from squall.reports.exploration import alike as sentence
from squall.reports.exploration_html import html

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\x00\x1b\ud800&amp;" + "a" * 100_000
EMPTY = Coverage("A claim.", (), (), (), (), {}, 0, 0, 0, (), (), "", "")


class Reader(HTMLParser):
    """The texts of a page and the names of its elements; whether all that begins ends."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.names: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)
        if tag not in {"meta", "wbr", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def page(exploration):
    return html([exploration])


@pytest.fixture(scope="module")
def text(page):
    return Reader(page).text


def test_the_claim_is_the_headline_and_its_notes_stand_below(page, text, exploration):
    assert f'<p class="lead">{exploration.coverage.claim}</p>' in page
    assert "<title>refund agent</title>" in page
    for note in (
        "12 pairs begin with faults that fail already, and none was tried.",
        "A note.",
        "1 of 2 altered end states went unnoticed: the last insert of refund never happened.",
        "23 runs (2 failed, 21 passed), and 2 more to make failures smaller",
    ):
        assert note in text


def test_the_matrix_says_what_was_tried_and_what_failed_in_words_and_in_colour(page):
    cells = re.findall(r'<td class="step (\w+)">(.*?)</td>', page)
    plain = [(kind, " ".join(re.sub("<[^>]+>", " ", inside).split())) for kind, inside in cells]
    assert ("none", "failed: 1 1 of 1 1 of 1 behind a fault") in plain
    assert ("all", "held 1 of 1") in plain
    assert ("all", "held 1 of 1 behind a fault") in plain
    assert ("empty", "no other phase here") in plain
    assert {kind for kind, _ in plain} == {"none", "all", "empty"}


def test_calls_of_recovery_and_marks_that_were_never_true_are_named(text):
    assert "Only runs with a fault make these calls: payments.issue_refund (1) and payments.list_refunds (1)." in text
    assert "Expected sometimes, and true in no run: refunded twice over" in text


def test_schedules_are_counted_by_their_number_of_faults(text):
    assert "single faults 9 9 0 0 0 pairs 12 12 0 0 12" in text


def test_a_failure_has_its_schedule_its_picture_and_the_command(page, text, exploration):
    assert "timeout, after the effect, at payments.issue_refund" in text
    assert "One fault is enough, and without it the run does not fail." in text
    assert "It showed in 2 runs." in text
    assert 'aria-label="The run as it went: get_order → issue_refund!timeout(after) → issue_refund"' in page
    assert "refund 2 inserted, the same as 1" in text
    assert "squall replay kept/0.json" in text


def test_altered_end_states_have_a_table(text):
    assert "refund '1' is there twice at_ most_ once" in text
    assert "the last insert of refund never happened nothing" in text


def test_it_says_what_it_does_not_show(text):
    assert "What this does not show That nothing failed means that none of the faults which were tried" in text


def test_the_same_exploration_makes_the_same_bytes_without_a_time_or_a_rate(page, exploration):
    assert html([exploration]) == page
    assert not re.search(r"\d/s\b|20\d\d-\d\d", page)


def test_nothing_is_loaded_and_nothing_may_run(page):
    reader = Reader(page)
    assert not {"script", "img", "link", "iframe"} & set(reader.names)
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert "http" not in re.sub(r"http_\w*", "", page.partition("</style>")[2]).replace("http-equiv", "")


def test_several_explorations_stand_below_each_other(exploration):
    calm = Exploration("calm agent", EMPTY, (), 2, altered=())
    page = html([exploration, calm], title="Two")
    text = Reader(page).text
    assert "1 of 2 that were explored failed: 1 failure." in text
    assert page.index('id="exploration-1"') < page.index('id="failures-1"') < page.index('id="exploration-2"')
    assert "There was no place where a fault could happen." in text
    assert "Nothing. Read below what that does not show." in text
    marks = re.findall(r' id="([^"]+)"', page)
    assert len(marks) == len(set(marks))


def test_none_at_all_claims_nothing():
    assert "Nothing was explored, so that nothing is claimed." in Reader(html([])).text


def test_of_many_failures_so_many_are_shown(exploration):
    many = exploration._replace(failures=exploration.failures * 5)
    page = html([many], most=2)
    assert page.count('<article class="failure">') == 2
    assert "3 more failures not shown here." in page


def test_a_failure_without_a_trace_or_a_file_says_so():
    bare = Failure("lost", "crashed", "lost", (), False, ())
    text = Reader(html([Exploration("x", EMPTY, (bare,), 1)])).text
    assert "There is no trace of this run, and so no picture." in text
    assert "It was kept in no file." in text
    assert "It fails without any fault." in text


def test_what_filters_left_out_can_be_opened():
    coverage = replace(EMPTY, left_out=(("a.b", "timeout"), ("a.b", "http_503"), ("a.c", "timeout")))
    page = html([Exploration("x", coverage, (), 1)])
    assert "<summary>Left out by the filters: 3 kinds of faults at targets</summary>" in page
    assert "timeout, http_503" in page


def test_hostile_names_are_text_and_nothing_else(exploration):
    point = Point("tool", "", HOSTILE, "d", 1)
    line = Line("tool", HOSTILE, HOSTILE, HOSTILE, 1, 0, 1, 1)
    coverage = replace(
        EMPTY,
        claim=HOSTILE,
        notes=(HOSTILE,),
        lines=(line,),
        revealed=((HOSTILE, 1),),
        never_true=(HOSTILE,),
        left_out=((HOSTILE, HOSTILE),),
    )
    bad = Failure(
        HOSTILE,
        "failed",
        f"{HOSTILE}\n" * 20,
        (Choice(point, HOSTILE, "after", ((HOSTILE, HOSTILE),)),),
        True,
        exploration.failures[0].lines,
        line=HOSTILE,
        file=HOSTILE,
        replay=HOSTILE,
    )
    page = html([Exploration(HOSTILE, coverage, (bad,), 1, (HOSTILE,), ((HOSTILE, HOSTILE),))], title=HOSTILE)
    reader = Reader(page)
    assert not {"script", "img"} & set(reader.names)
    assert "\u202e" not in page
    assert "\x00" not in page
    assert len(page) < 250_000
    page.encode()


def test_what_is_long_is_cut_between_words_and_can_be_opened(exploration):
    places = [Point("tool", "", f"shop.operation_number_{number}", "", 1) for number in range(6)]
    alike = tuple(Choice(point, kind, "before") for point in places for kind in ("timeout", "connection_lost"))
    line = "the answer (of which much is said) " * 40
    failure = exploration.failures[0]._replace(alike=alike, message=f"{line}\nshort")
    page = html([exploration._replace(failures=(failure,))])
    assert page.count('<details class="long muted"><summary>The same is violated under ') == 1
    assert page.count('<li><details class="long"><summary>the answer ') == 1
    assert "<li>short</li>" in page
    for whole in (sentence(failure), line):
        assert " ".join(whole.split()) in Reader(page).text.replace(" … ", " ")
    heads = re.findall(r"<summary>([^<]*)<span class=\"more\"> …</span></summary>", page)
    assert [head.count("(") == head.count(")") for head in heads] == [True, True]


def test_a_long_name_of_what_is_violated_stands_whole_below_it(exploration):
    violated = "one of the things that were expected " * 10
    failure = exploration.failures[0]._replace(violated=violated.strip(), message=violated.strip())
    assert f"<li>{violated.strip()}</li>" in html([exploration._replace(failures=(failure,))])
