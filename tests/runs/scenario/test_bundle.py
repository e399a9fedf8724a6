"""The files that a scenario needs are found, kept as texts to the byte, and written down where they belong alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from squall.errors import UsageError
from squall.runs.scenario import scenario_from
from squall.runs.scenario.bundle import portable, unpack
from tests.runs.scenario.texts import HEAD, LARGE, SCRIPT, WORLD


def seeded(name):
    return WORLD.replace("    operations:", f"    seed: {{ from: {name} }}\n    operations:")


def handled(name):
    return WORLD.replace(
        "      list_refunds", f"      approve: {{ kind: custom, handler: {name} }}\n      list_refunds"
    )


RULES = """\
import fees
from texts import sorry


def approve(world, clock, order: str):
    return {"fee": fees.FEE, "said": sorry()}
"""
ONLY_WORLD = 'world = "{}"\n' + HEAD


def names(lab, text, name="scenario.toml"):
    return sorted(lab.load(text, name).files)


def test_the_files_are_those_that_are_named(lab):
    lab.write("unrelated.py", "X = 1\n")
    assert names(lab, LARGE) == ["script.toml", "world.yaml"]


def test_rows_from_a_file_belong_to_it(lab):
    lab.write("data/rows.csv", "id,order,amount\n1,7,5\n")
    lab.write("world.yaml", seeded("data/rows.csv"))
    assert names(lab, ONLY_WORLD.format("world.yaml")) == ["data/rows.csv", "world.yaml"]


def test_files_above_the_scenario_have_their_names_too(lab, tmp_path):
    lab.write("shared/rows.csv", "id,order,amount\n1,7,5\n")
    lab.write("shared/world.yaml", seeded("rows.csv"))
    found = lab.load(ONLY_WORLD.format("../../shared/world.yaml"), "suites/one/scenario.toml")
    assert sorted(found.files) == ["../../shared/rows.csv", "../../shared/world.yaml"]
    again = scenario_from(found.data, found.files, tmp_path / "elsewhere")
    assert again.digest == found.digest
    assert again.world is not None
    assert again.world.resolve() == (tmp_path / "elsewhere" / "shared" / "world.yaml").resolve()


def test_handlers_belong_to_it_with_what_they_import_from_beside_them(lab, tmp_path):
    lab.write("rules.py", RULES)
    lab.write("fees.py", "from decimal import Decimal\nfrom money import FEE\n")
    lab.write("money.py", "FEE = 3\n")
    lab.write("texts/__init__.py", "from texts.words import sorry\n")
    lab.write("texts/words.py", "def sorry():\n    return 'sorry'\n")
    lab.write("unrelated.py", "X = 1\n")
    lab.write("world.yaml", handled("rules.approve"))
    found = lab.load(ONLY_WORLD.format("world.yaml"))
    assert sorted(found.files) == [
        "fees.py",
        "money.py",
        "rules.py",
        "texts/__init__.py",
        "texts/words.py",
        "world.yaml",
    ]
    again = scenario_from(found.data, found.files, tmp_path / "elsewhere")
    assert again.digest == found.digest


def test_a_handler_may_lie_in_the_folder_above_its_world(lab, tmp_path):
    lab.write("rules.py", "def approve(world, clock, order: str):\n    return {}\n")
    lab.write("worlds/world.yaml", handled("rules.approve"))
    found = lab.load(ONLY_WORLD.format("worlds/world.yaml"))
    assert sorted(found.files) == ["rules.py", "worlds/world.yaml"]
    assert scenario_from(found.data, found.files, tmp_path / "elsewhere").digest == found.digest


@pytest.mark.parametrize("package", [True, False])
def test_a_handler_may_lie_in_a_package(lab, tmp_path, package):
    if package:
        lab.write("bank/__init__.py", "from bank.names import NAME\n")
        lab.write("bank/names.py", "NAME = 'bank'\n")
    lab.write(
        "bank/rules.py", "from bank.fees import FEE\n\n\ndef approve(world, clock, order: str):\n    return FEE\n"
    )
    lab.write("bank/fees.py", "FEE = 3\n")
    lab.write("world.yaml", handled("bank.rules.approve"))
    found = lab.load(ONLY_WORLD.format("world.yaml"))
    more = ["bank/__init__.py", "bank/names.py"] if package else []
    assert sorted(found.files) == sorted([*more, "bank/fees.py", "bank/rules.py", "world.yaml"])
    assert scenario_from(found.data, found.files, tmp_path / "elsewhere").digest == found.digest


def test_a_script_in_python_belongs_to_it(lab, tmp_path):
    lab.write("brain.py", "def answer(request):\n    return 'I do what I can.'\n")
    lab.write("script.toml", 'handler = "brain.answer"\n')
    found = lab.load(LARGE)
    assert sorted(found.files) == ["brain.py", "script.toml", "world.yaml"]
    again = scenario_from(found.data, found.files, tmp_path / "elsewhere")
    assert lab.run(again).record.answer == "I do what I can."


def test_functions_that_judge_belong_to_it(lab, tmp_path):
    lab.write("audit/rules.py", "from audit import words\n\n\ndef small(world):\n    raise AssertionError(words.NO)\n")
    lab.write("audit/words.py", "NO = 'never'\n")
    found = lab.load(f'{LARGE}\n[expect]\nproperties = ["audit.rules.small"]\n')
    assert sorted(found.files) == ["audit/rules.py", "audit/words.py", "script.toml", "world.yaml"]
    again = scenario_from(found.data, found.files, tmp_path / "elsewhere")
    assert lab.run(again).record.reasons == ("never",)


def test_texts_are_kept_to_the_byte(lab, tmp_path):
    lab.write("rows.csv", "\ufeffid,order,amount\r\n1,sieben ⁷,5\r\n")
    lab.write("world.yaml", seeded("rows.csv").replace("\n", "\r\n"))
    found = lab.load(ONLY_WORLD.format("world.yaml"))
    assert found.files["rows.csv"] == "\ufeffid,order,amount\r\n1,sieben ⁷,5\r\n"
    folder = unpack(found.files, tmp_path / "elsewhere")
    for name in found.files:
        assert (folder / name).read_bytes() == (lab.folder / name).read_bytes()


def test_what_is_no_text_is_left_where_it_is(lab):
    (lab.folder / "logo.png").write_bytes(b"\x89PNG\xff")
    lab.write("script.toml", SCRIPT.replace("I have refunded 40 for order 7.", "logo.png"))
    assert names(lab, LARGE) == ["script.toml", "world.yaml"]


def test_texts_that_could_be_no_name_harm_nothing(lab):
    lab.write(
        "script.toml", SCRIPT.replace("I have refunded", "a.b" * 2000 + "\\u0000.x").replace("for order", "../.. .")
    )
    assert names(lab, LARGE) == ["script.toml", "world.yaml"]


def test_a_changed_helper_changes_the_digest(lab):
    lab.write("rules.py", "from fees import FEE\n\n\ndef approve(world, clock, order: str):\n    return FEE\n")
    lab.write("fees.py", "FEE = 3\n")
    lab.write("world.yaml", handled("rules.approve"))
    once = lab.load(ONLY_WORLD.format("world.yaml")).digest
    lab.write("fees.py", "FEE = 4\n")
    assert lab.load(ONLY_WORLD.format("world.yaml")).digest != once


# unpacking


def test_files_are_written_below_the_folder_alone(tmp_path):
    into = tmp_path / "run"
    folder = unpack({"a.yaml": "a", "b/c.csv": "c", "../d.py": "d", "../../e/f.py": "f"}, into)
    written = {path.relative_to(into).as_posix(): path.read_text() for path in into.rglob("*") if path.is_file()}
    assert written == {"up0/up1/a.yaml": "a", "up0/up1/b/c.csv": "c", "up0/d.py": "d", "e/f.py": "f"}
    assert folder == into / "up0" / "up1"


def test_what_lies_beside_the_folder_is_no_part_of_the_scenario(tmp_path):
    (tmp_path / "rules.py").write_text("def approve(world, clock, order: str):\n    return {}\n")
    folder = unpack({"world.yaml": handled("rules.approve")}, tmp_path / "run")
    assert folder.parent != tmp_path
    with pytest.raises(UsageError, match="there is no module 'rules'"):
        scenario_from(
            {"scenario": {"name": "x"}, "world": "world.yaml"},
            {"world.yaml": handled("rules.approve")},
            tmp_path / "run",
        )


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "a/../../../../x", "b/../../../up9", "..\\..\\x", "C:\\x", "a\0b", "", ".", "a/../..", "x" * 300],
)
def test_a_name_that_leads_out_or_nowhere_is_refused(tmp_path, name):
    into = tmp_path / "run"
    with pytest.raises(UsageError, match="Do not trust this run"):
        unpack({"world.yaml": "x", name: "evil"}, into)
    outside = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_relative_to(into)]
    assert outside == []


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a")])
def test_names_that_cannot_both_be_are_refused(tmp_path, names):
    with pytest.raises(UsageError, match="cannot be written"):
        unpack(dict.fromkeys(names, "x"), tmp_path / "run")


# texts that name files


@pytest.mark.parametrize("folder", ["scenarios", "./scenarios", "scenarios/../scenarios"])
def test_files_are_named_from_the_folder_of_the_scenario(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    files = {"a.py": "", "../shared/b.py": ""}
    text = f"here {tmp_path}/scenarios/a.py:3, ({Path(folder)}/a.py:4) and {tmp_path}/shared/b.py; /usr/lib/c.py stays"
    told = portable(text, Path(folder), files)
    assert told == "here a.py:3, (a.py:4) and ../shared/b.py; /usr/lib/c.py stays"


def test_in_the_folder_itself_there_is_nothing_to_take_away(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert portable("turn 3 (a.py:3) and lib/b.py", Path(), {"a.py": ""}) == "turn 3 (a.py:3) and lib/b.py"


def test_a_folder_that_only_ends_alike_stays(tmp_path):
    text = f"/other{tmp_path}/a.py"
    assert portable(text, tmp_path, {"a.py": ""}) == text
