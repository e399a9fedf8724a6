from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from squall.reports.lab_html import html
from squall.reports.pairs import summarize_pair
from squall.reports.summary import summarize

HERE = Path(__file__).parent
VOID = {"br", "meta", "wbr"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\x00\x1b\ud800&amp;" + "a" * 1_000_000
AGAIN = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("lab_again", sys.argv[1])
again = importlib.util.module_from_spec(spec)
sys.modules["lab_again"] = again
spec.loader.exec_module(again)
from squall.reports.lab_html import html
lab = again.write_lab(Path(sys.argv[2]), range(2))
page = html(lab.summary, lab.runs, lab.trace_of, title="Again", replay=lab.replay)
sys.stdout.buffer.write(page.encode())
"""


class Reader(HTMLParser):
    """The elements of a page with their attributes, its texts, and whether all that begins ends."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))


@pytest.fixture
def page(lab):
    def render(runs=None, **options):
        runs = lab.runs if runs is None else runs
        options = {"title": "Six faults", "replay": lab.replay} | options
        return html(summarize(runs), runs, lab.trace_of, **options)

    return render


def test_the_page_says_in_words_who_survived_what(page):
    read = Reader(page())
    assert not read.open
    for words in (
        "resilient met its expectations in 29 of 30 runs, careless in 15 of 30, baseline in 1 of 30.",
        "repeated_call5 of 5100 %0 of 50 %0 of 40 %1 not reached",
        "97 %29 of 3083–99 %",
        "Runs in a row12345resilient97 %93 %90 %87 %83 %",
        "resilient passed 29 of 30 runs, careless 15",
        "median 2.03 sp95 62.1 s",
        "45 runs did not pass; 40 of them are shown in full",
        "careless in timeout",
        "at_most_once: payments.refund has 2 rows of order 1: r_1, r_2",
        "What this does not show",
        "Whether something may be put to use is for a person to decide",
    ):
        assert words in read.words


def test_the_time_of_programs_is_called_real(page, lab):
    def program(run):
        return replace(
            run, inputs=replace(run.inputs, strategy=replace(run.inputs.strategy, how="--command node a.js"))
        )

    assert "Virtual time from a run’s first event" in Reader(page()).words
    assert "Real time from a run’s first event" in Reader(page([program(run) for run in lab.runs])).words
    some = [program(run) if run.strategy == "baseline" else run for run in lab.runs]
    assert "Virtual time (of programs: real time) from a run’s first event" in Reader(page(some)).words


def test_a_p_value_stays_on_one_line(page):
    assert 'which is hardly chance <span class="whole">(p &lt; 0.0001)</span>.' in page()


def test_each_failure_that_is_shown_has_a_picture_and_the_command_that_repeats_it(page, lab):
    text = page()
    assert text.count('class="lanes"') == 40
    careless = next(run for run in lab.runs if (run.scenario, run.strategy, run.seed) == ("timeout", "careless", 0))
    assert f"squall replay runs/{careless.name()}" in text


def test_the_same_runs_make_the_same_bytes_in_any_process_place_and_order(page, lab, tmp_path):
    runs = [run for run in lab.runs if run.seed < 2]
    surroundings = os.environ | {"PYTHONHASHSEED": "3"}
    arguments = [sys.executable, "-c", AGAIN, str(HERE / "conftest.py"), str(tmp_path / "elsewhere")]
    done = subprocess.run(arguments, cwd=tmp_path, env=surroundings, capture_output=True, check=True)
    assert done.stdout == page(runs[::-1], title="Again").encode()
    assert str(lab.folder).encode() not in done.stdout


def test_nothing_is_loaded_and_no_script_may_run(page):
    text = page()
    read = Reader(text)
    names = {name for name, _ in read.elements}
    assert names.isdisjoint({"script", "img", "link", "iframe", "object", "embed", "base", "form", "image", "use"})
    attributes = {name for _, attributes in read.elements for name in attributes}
    assert attributes.isdisjoint({"src", "href", "style", "action", "srcset", "xlink:href"})
    assert not [name for name in attributes if name.startswith("on")]
    assert "url(" not in text
    assert "@import" not in text


def test_the_policy_allows_the_one_style_sheet_by_its_digest_and_nothing_else(page):
    text = page()
    [style] = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [a["content"] for _, a in Reader(text).elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")


def test_whatever_runs_say_is_text_that_can_be_seen_and_is_not_endless(page, lab):
    bad = [
        replace(
            run,
            scenario=HOSTILE,
            strategy=HOSTILE,
            answer={HOSTILE: HOSTILE},
            answered=HOSTILE,
            reasons=(HOSTILE,) * 9,
            description=HOSTILE,
            faults=tuple(replace(fault, kind=HOSTILE) for fault in run.faults),
        )
        for run in lab.runs[:6]
    ]
    text = page(bad, title=HOSTILE, replay=lambda run: HOSTILE)
    read = Reader(text)
    assert {name for name, _ in read.elements}.isdisjoint({"script", "img"})
    assert "<script>alert(1)</script>" in read.words
    assert "\\u202e\\x00\\x1b\\ud800&amp;" in read.words
    assert not [each for each in text if not each.isprintable() and each != "\n"]
    assert "(1,000," in read.words
    assert "and 4 more reasons" in read.words
    assert len(text) < 400_000


def test_no_run_makes_a_page_that_makes_no_claim(page):
    words = Reader(page([])).words
    assert "No runs: this report makes no claim about any strategy." in words
    assert "A cell without runs makes no claim about any strategy" in words
    assert "Who survived what" not in words


def test_where_nothing_failed_the_page_says_so_and_sends_on_to_its_limits(page, lab):
    words = Reader(page([run for run in lab.runs if run.met and run.strategy == "resilient"])).words
    assert "Every run met its expectations. Read below what that does not show." in words
    assert "Side by side" not in words


def test_skipped_runs_have_neither_rate_nor_latency(page, lab):
    words = Reader(page([replace(run, status="skipped", met=False) for run in lab.runs])).words
    assert "every run was skipped, so nothing is known" in words
    assert words.count("no run was judged") == 6
    assert "skipped" in words


def test_two_suites_are_put_against_each_other(page, lab):
    sides = [[run for run in lab.runs if run.strategy == name] for name in ("careless", "resilient")]
    words = Reader(page(against=summarize_pair(*sides))).words
    assert "A against B" in words
    assert "both pass: 14only careless: 1only resilient: 15neither: 0" in words
    alone = summarize_pair(sides[0][:1], sides[1][-1:])
    assert "have no run in common" in Reader(page(against=alone)).words


def test_of_many_runs_the_page_holds_the_first_and_says_so(page, lab):
    runs = [replace(run, seed=seed, hash=f"{run.hash[:20]}{seed:044d}") for run in lab.runs[:30] for seed in range(20)]
    read = Reader(page(runs, most=5))
    assert "the first 400 of 600 runs, failures first" in read.words
    assert re.search(r"\d+ runs did not pass; 5 of them are shown in full", read.words)
    assert "more failures like this, not shown here." in read.words


def test_many_strategies_make_a_table_that_scrolls(page, lab):
    runs = [
        replace(run, strategy=f"{run.strategy}{copy}", hash=f"{run.hash}{copy}")
        for run in lab.runs
        for copy in range(2)
    ]
    assert 'class="heat many"' in page(runs)


def test_a_cell_says_what_there_is_to_say(page, lab):
    first = lab.runs[0]
    spared = replace(first, faults=tuple(replace(fault, fired=0) for fault in first.faults))
    other = next(run for run in lab.runs if run.scenario == "stale-memory" and run.strategy == "resilient")
    words = Reader(page([spared, other])).words
    assert "never fired1 did not fire" in words
    assert "no run" in words
