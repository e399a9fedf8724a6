"""The reference for people, `docs/faults.md`, and what writes it, `docs/reference.py`."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from squall.faults import names
from squall.faults.kinds import step
from squall.runs.scenario import load_scenario

DOCS = Path(__file__).parents[2] / "docs"
PAGE, SCRIPT, TEMPLATE = DOCS / "faults.md", DOCS / "reference.py", DOCS / "faults.in.md"
reference = runpy.run_path(str(SCRIPT))["reference"]
BLOCK = re.compile(r"^```(yaml|toml)\n(.+?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(reference())
AT_STEPS = [text for _, text in BLOCKS if any(f'kind = "{kind.name}"' in text for kind in step.TABLE)]
EXAMPLES = [(format, text) for format, text in BLOCKS if text not in AT_STEPS]


def test_the_page_is_what_the_code_says():
    assert PAGE.read_text(encoding="utf-8") == reference(), "docs/faults.md is out of date: make docs writes it anew"


def test_the_script_prints_the_page():
    printed = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, check=True).stdout
    assert printed.decode() == reference()


def test_the_template_stands_around_the_kinds_as_it_is():
    _, _, text = TEMPLATE.read_text(encoding="utf-8").partition("\n")
    parts = re.split("<!-- the kinds(?: of models| of steps)? -->\n", text)
    assert len(parts) == 4
    assert all(part in reference() for part in parts)
    assert reference().endswith(parts[-1])
    assert "<!-- the kinds" not in reference()


def test_there_is_an_example_of_every_kind_and_of_both_spellings():
    assert len(EXAMPLES) >= len(names()) + len(names("model")) + 5
    assert {format for format, _ in EXAMPLES} == {"yaml", "toml"}


@pytest.mark.parametrize(("format", "text"), EXAMPLES)
def test_every_example_parses(shop, format, text):
    plan = shop.read(text, format)
    assert plan.rules.faults or plan.rules.latencies or plan.rules.limits


@pytest.mark.parametrize("kind", step.TABLE, ids=lambda kind: kind.name)
def test_every_kind_of_steps_has_its_row_its_section_and_its_example(kind):
    assert f"| [`{kind.name}`](#step-{kind.name}) |" in reference()
    assert f"\n### step: {kind.name}\n" in reference()
    assert f"{kind.example}\n" in AT_STEPS


@pytest.mark.parametrize("text", AT_STEPS)
def test_every_example_of_steps_loads_in_a_scenario(text, tmp_path):
    path = tmp_path / "example.toml"
    result = "result = { price = 12, note = 'a longer one' }"
    path.write_text('[scenario]\nname = "example"\n' + f'[[steps]]\ntool = "f"\n{result}\n' * 2 + text)
    assert load_scenario(path).plan.rules.faults


@pytest.mark.parametrize("name", names())
def test_every_kind_has_its_row_and_its_section(name):
    assert f"| [`{name}`](#{name.lower()}) |" in reference()
    assert f"\n### {name}\n" in reference()


@pytest.mark.parametrize("name", names("model"))
def test_every_kind_of_models_has_its_row_and_its_section(name):
    assert f"| [`{name}`](#model-{name.lower()}) |" in reference()
    assert f"\n### model: {name}\n" in reference()


def test_a_link_within_the_page_leads_somewhere():
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", reference(), re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#(.+?)\)", reference())) <= anchors


def test_parameters_are_told_with_type_default_and_meaning():
    page = reference()
    assert "| `answer_after` | length of time | `60s` |" in page
    assert "| `retry_after` | length of time | – |" in page
    assert "| `keep` | number from 0, below 1 | `0.5` |" in page
    assert "| `writes` | whole number from 1 | `1` |" in page
    assert "| `value` | any value | – |" in page
    assert "| `message` | text | `404 Not Found` |" in page
    assert "| `x_should_retry` | true or false | – |" in page
    assert "| `forever` | true or false | `false` |" in page
    assert "| `how` | `fin` or `reset` | `fin` |" in page
    assert "| `status` | whole number from 400 to 599 | `503` |" in page


def test_parameters_of_every_kind_are_told_once():
    assert reference().count("| `late_by` | length of time | `30s` |") == 1


def test_it_is_told_what_a_kind_is_for():
    assert "| [`stale_read`](#stale_read) | after | yes | – |" in reference()
    assert "| [`duplicate_delivery`](#duplicate_delivery) | after | – | yes |" in reference()
    assert "| [`timeout`](#timeout) | after | yes | yes |" in reference()
    assert "| [`clean_eof`](#model-clean_eof) | end | all but embeddings |" in reference()
    assert "| [`wrong_order`](#model-wrong_order) | reply | embeddings |" in reference()
