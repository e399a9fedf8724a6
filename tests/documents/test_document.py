"""Reading a file, and what is said when there is nothing to read; positions fall back to the nearest ancestor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from squall.documents import load, parse
from squall.documents.document import MAX_SIZE
from squall.errors import Position, UsageError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "shop.yaml").write_text("name: shop\n")
    (tmp_path / "worlds" / "bank.toml").write_text("name = 'bank'\n")
    (tmp_path / "worlds" / "notes.txt").write_text("x")
    return tmp_path


def refusal(path) -> str:
    with pytest.raises(UsageError) as caught:
        load(path)
    return str(caught.value)


def test_the_ending_says_the_format(folder):
    (folder / "p.json").write_text('{"name": "policy"}')
    (folder / "q.YML").write_text("name: q")
    names = [load(path).data["name"] for path in ("worlds/shop.yaml", Path("worlds/bank.toml"), "p.json", "q.YML")]
    assert names == ["shop", "bank", "policy", "q"]


def test_a_document_keeps_its_path_its_name_and_its_text(folder):
    document = load("worlds/shop.yaml")
    assert (document.path, document.name, document.text) == (
        Path("worlds/shop.yaml"),
        "worlds/shop.yaml",
        "name: shop\n",
    )
    assert repr(document) == "<Document worlds/shop.yaml>"
    assert parse("a: 1", format="yaml", name="inline").path is None


def test_a_document_is_called_what_its_reader_says(folder):
    document = load("worlds/shop.yaml", name="shop.yaml")
    assert (document.name, document.path) == ("shop.yaml", Path("worlds/shop.yaml"))
    assert str(document.at(("name",))) == "shop.yaml:1:7"
    (folder / "worlds" / "cut.yaml").write_text("a: [")
    with pytest.raises(UsageError, match=r"^cut\.yaml:1:"):
        load("worlds/cut.yaml", name="cut.yaml")


def test_a_position_falls_back_to_the_key_of_the_nearest_ancestor():
    document = parse("a: 1\nb:\n  c: [x, y]\n", format="yaml", name="w")
    assert document.at(("b", "c", 1)) == Position("w", 3, 10)
    assert document.at(("b", "c", 1), key=True) == Position("w", 3, 10)
    assert document.at(("b", "c", 7)) == Position("w", 3, 3)
    assert document.at(("b", "nothing", "below")) == Position("w", 2, 1)
    assert document.at(("b",)) == Position("w", 3, 3)
    assert document.at(("b",), key=True) == Position("w", 2, 1)
    assert document.at(("nothing",)) == document.at(()) == Position("w", 1, 1)


def test_a_missing_file_names_the_nearest_one(folder):
    assert refusal("worlds/shp.yaml") == (
        f"there is no file 'worlds/shp.yaml'; did you mean 'worlds/shop.yaml'?\n    Paths start from {str(folder)!r}."
    )


def test_a_missing_file_without_a_near_one_lists_what_is_there(folder):
    assert refusal("worlds/zzzzzz.json") == (
        "there is no file 'worlds/zzzzzz.json'\n"
        f"    In 'worlds' there are bank.toml, shop.yaml. Paths start from {str(folder)!r}."
    )


def test_a_missing_folder_names_the_nearest_one(folder):
    assert refusal("wrlds/deep/shop.yaml") == (
        "there is no file 'wrlds/deep/shop.yaml', and no folder 'wrlds'; did you mean 'worlds'?\n"
        f"    Paths start from {str(folder)!r}."
    )


def test_a_missing_absolute_path_is_told_as_it_is(folder):
    assert refusal(folder / "worlds" / "shop.yml").endswith(
        "did you mean " + repr(str(folder / "worlds/shop.yaml")) + "?\n    Check the path."
    )


def test_a_path_through_a_file_is_missing(folder):
    assert refusal("worlds/shop.yaml/x.yaml").startswith("there is no file 'worlds/shop.yaml/x.yaml'")


def test_a_folder_is_refused_with_the_files_in_it(folder):
    assert refusal("worlds") == "worlds: this is a folder, not a file\n    Name a file in it: bank.toml, shop.yaml."
    (folder / "empty").mkdir()
    assert refusal("empty") == "empty: this is a folder, not a file\n    Name a .yaml, .toml or .json file."
    assert refusal("").startswith(".: this is a folder") or refusal("").startswith(": this is a folder")


def test_another_ending_is_refused(folder):
    assert (
        refusal("worlds/notes.txt")
        == "worlds/notes.txt: the ending '.txt' names no format that squall reads\n    Use .yaml, .toml or .json."
    )
    (folder / "noending").write_text("a: 1")
    assert "the ending '' names no format" in refusal("noending")


def test_an_unreadable_file_is_told_with_the_systems_reason(folder, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert refusal("worlds/shop.yaml") == (
        "worlds/shop.yaml: the file cannot be read: Permission denied\n    Check the path and its permissions."
    )


@pytest.mark.parametrize("path", ["a\0b.yaml", "x" * 5000 + ".yaml"])
def test_a_path_that_no_system_has_is_refused(folder, path):
    assert "cannot be read: " in refusal(path) or "there is no file" in refusal(path)


def test_a_pipe_is_refused_without_waiting(folder):
    os.mkfifo(folder / "pipe.yaml")
    assert refusal("pipe.yaml") == "pipe.yaml: this is not a regular file\n    Save the document as a file."


def test_a_huge_file_is_refused_unread(folder, monkeypatch):
    with (folder / "huge.yaml").open("wb") as file:
        file.truncate(MAX_SIZE + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    assert refusal("huge.yaml").startswith("huge.yaml: the file is larger than 4 MB")


@pytest.mark.parametrize(("ending", "text"), [("yaml", ""), ("toml", " \n"), ("json", "\n")])
def test_an_empty_file_is_told(folder, ending, text):
    (folder / f"e.{ending}").write_text(text)
    assert refusal(f"e.{ending}") == f"e.{ending}:1:1: the file is empty\n    Is this the right file?"


def test_bytes_that_are_no_utf8_are_told_at_their_place(folder):
    (folder / "x.yaml").write_bytes("a: é\nb: ".encode() + b"\xe9\n")
    assert refusal("x.yaml") == "x.yaml:2:4: this is not UTF-8: byte 0xe9\n    Save the file as UTF-8."


def test_utf16_is_recognised(folder):
    (folder / "x.yaml").write_bytes("a: 1".encode("utf-16"))
    assert "It looks like UTF-16. Save the file as UTF-8." in refusal("x.yaml")


def test_a_byte_order_mark_is_no_part_of_the_document(folder):
    (folder / "x.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    document = load("x.json")
    assert document.data == {"a": 1}
    assert document.at(("a",), key=True) == Position("x.json", 1, 2)


def test_importing_the_room_brings_nothing_heavy():
    heavy = "pydantic", "ruamel.yaml", "tomllib", "json", "difflib"
    code = "import sys; before = set(sys.modules); import squall.documents; "
    code += f"print([m for m in {heavy} if m in set(sys.modules) - before])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": "src"},
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "[]\n"
