"""The examples in README.md and docs/ are run and show what really comes; their reader sees what is wrong.

How a page's blocks are read stands in `conftest.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))

WORLD = """
```yaml
# shop.yaml
services:
  orders:
    records: { order: { id: str, status: "enum[placed, delivered]" } }
    operations: { get_order: { kind: get, record: order } }
```
"""


def dead_links(page):
    """The links of a page that lead to no file, or to no heading."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (heading and heading not in headings(target)):
            dead.append(link)
    return dead


def headings(page):
    """What a page's headings are called in links."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_that_users_read_is_here():
    assert {"README.md", "docs/worlds.md", "docs/testing.md", "docs/glossary.md"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_do_what_it_says(name, page):
    wrong = page((ROOT / name).read_text())
    assert not wrong, "\n\n".join(f"{name}, {each}" for each in wrong)


@pytest.mark.parametrize("name", [*PAGES, "ARCHITECTURE.md", "CHANGELOG.md"])
def test_the_links_of_a_page_lead_somewhere(name):
    assert dead_links(ROOT / name) == []


def test_a_dead_link_is_found(tmp_path):
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# Another page, with `code`\n")
    page.write_text("# Here\n[a](#here) [b](other.md) [c](other.md#another-page-with-code) [d](https://example.org)")
    assert dead_links(page) == []
    page.write_text("[a](#there) [b](othr.md) [c](other.md#elsewhere)")
    assert dead_links(page) == ["#there", "othr.md", "other.md#elsewhere"]


def test_a_page_without_examples_is_fine(page):
    assert page("# Words alone") == []


def test_a_world_and_its_plan_are_loaded(page):
    assert page(WORLD + "```yaml\norders.get_order: { errors: { http_500: 0.1 } }\n```\n") == []


def test_a_plan_that_does_not_fit_the_world_before_it_is_found(page):
    [wrong] = page(WORLD + "```yaml\norders.get_ordr: { errors: { http_500: 0.1 } }\n```\n")
    assert "line 9: " in wrong
    assert "did you mean 'orders.get_order'?" in wrong


def test_a_file_that_is_said_to_be_wrong_must_be(page):
    bad = "<!-- wrong: on purpose -->\n```yaml\nservices: { orders: { records: { order: { id: strr } } } }\n```\n"
    assert page(bad) == []
    assert "loads" in page(bad.replace("strr", "str"))[0]


def test_a_service_alone_is_loaded_in_a_world_of_its_own(page):
    assert page("```yaml\nrecords: { order: { id: str } }\n```\n") == []
    assert "unknown type" in page("```yaml\nrecords: { order: { id: str, total: flot } }\n```\n")[0]


def test_python_shows_what_it_prints_and_what_it_raises(page):
    code = "```python\nprint('here')\nraise ValueError('no')\n```\n"
    assert page(code + "```text\nhere\nValueError: no\n```\n") == []
    assert "it is:\nhere\nValueError: no" in page(code + "```text\nthere\n```\n")[0]
    assert "ValueError: no" in page(code)[0]


def test_python_blocks_of_a_page_share_their_names(page):
    assert page("```python\na = 1\n```\n```python\nassert a == 1\n```\n") == []


def test_tests_are_run_by_pytest_and_must_pass(page):
    good = "```python\ndef test_one():\n    assert True\n```\n"
    assert page(good) == []
    assert "assert 1 == 2" in page(good + "```python\ndef test_two():\n    assert 1 == 2\n```\n")[0]


def test_what_a_command_shows_is_compared(page):
    shown = "```console\n$ squall validate shop.yaml\n{}\n```\n"
    assert page(WORLD + shown.format("shop.yaml: a world, 1 operation: nothing wrong")) == []
    assert page(WORLD + shown.format("shop.yaml: …")) == []
    assert "it is:\nshop.yaml: a world" in page(WORLD + shown.format("shop.yaml: fine"))[0]


SERVED = """
```console
$ squall model &
squall: a model provider (seed 0, run 0), without faults, at http://127.0.0.1:18080 …
…
```
```python
import urllib.request
direct = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
with direct.open("http://127.0.0.1:18080/_mock/health") as answer:
    print(answer.read().decode())
```
```text
{}
```
```console
$ kill %1
{}
```
"""


def test_a_process_goes_on_until_it_is_ended(page):
    assert page(SERVED.format('{"status":"ok"}', "ended by SIGTERM; 0 requests")) == []
    wrong = page(SERVED.format("fine", "ended by SIGTERM; 7 requests"))
    assert ["the page shows:\nfine" in wrong[0], "ended by SIGTERM; 0 requests" in wrong[1]] == [True, True]


def test_a_process_that_nobody_ends_does_not_outlive_its_page(page):
    assert page(SERVED.partition("```python")[0]) == []


def test_a_command_may_go_on_in_the_next_line(page):
    assert page("```console\n$ squall \\\n  schema wrld\n…\n```\n") == []


def test_a_script_and_scenarios_of_models_are_loaded(page):
    assert page('```toml\n[[turn]]\nsay = "hello"\n```\n```toml\n[models.m]\nstatus = 503\n```\n') == []
    assert "did you mean 'say'?" in page('```toml\n[[turn]]\nsai = "hello"\n```\n')[0]
    assert "did you mean 'status'?" in page("```toml\n[models.m]\nstatuss = 503\n```\n")[0]


def test_an_ellipsis_on_its_own_stands_for_any_number_of_lines(page):
    code = "```python\nprint('a\\nb\\nc\\nd')\n```\n```text\n{}\n```\n"
    assert page(code.format("a\n…\nd")) == []
    assert page(code.format("a\n…\nb\nc\nd\n…")) == []
    assert page(code.format("a\n…\ne")) != []


def test_no_block_is_left_out_without_a_reason(page):
    block = "```console\n$ rm -rf .venv\n```\n"
    assert page(f"<!-- not run: it would remove the very environment that runs it -->\n{block}") == []
    assert "gives no reason" in page(f"<!-- not run: -->\n{block}")[0]
    assert "know no command 'rm'" in page(block)[0]


def test_a_note_is_for_the_block_right_below_it(page):
    noted = "<!-- not run: it would remove the environment -->\n```console\n$ rm -rf .venv\n```\n"
    assert page(f"{noted}\n<!-- another comment -->\n```python\nassert True\n```\n") == []
    assert "AssertionError" in page(f"{noted}\n<!-- another comment -->\n```python\nassert False\n```\n")[0]


def test_a_block_in_a_language_that_cannot_be_checked_is_found(page):
    assert "no language" in page("```ruby\nputs 1\n```\n")[0]
    assert "no language" in page("```\nwords\n```\n")[0]


def test_text_that_comes_from_nowhere_is_found(page):
    assert "python block before it" in page("```text\nwords\n```\n")[0]
