from __future__ import annotations

import os

import pytest

from squall import documents
from squall.documents import load
from squall.errors import UsageError
from squall.worlds import World
from squall.worlds.file import loading

ONE = "services: {a: {records: {x: {n: int}}, seed: {x: %d}}}\n"
HANDLER = "services: {a: {records: {x: {n: int}}, operations: {act: {kind: custom, handler: rules.act}}}}\n"


def test_an_unchanged_file_is_read_once(make, monkeypatch):
    path = make(ONE % 2)
    World.load(path)
    monkeypatch.setattr(documents, "load", lambda path: pytest.fail("read again"))
    monkeypatch.setattr(loading, "seed_rows", lambda *args: pytest.fail("seeded again"))
    assert len(World.load(path).x) == 2


def test_an_edited_file_is_read_anew_even_if_size_and_time_are_the_same(make):
    path = make(ONE % 2)
    before = path.stat()
    assert len(World.load(path).x) == 2
    path.write_text(ONE % 3, encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(World.load(path).x) == 3
    path.write_text(ONE % 2, encoding="utf-8")
    assert len(World.load(path).x) == 2


def test_an_edited_handler_is_loaded_anew(make):
    path = make(HANDLER, rules="def act(world, clock):\n    return 1\n")
    assert World.load(path).call("act", {}) == 1
    (path.parent / "rules.py").write_text("def act(world, clock):\n    return 'changed'\n", encoding="utf-8")
    assert World.load(path).call("act", {}) == "changed"


def test_a_handler_whose_file_is_gone_is_an_error_at_the_next_load(make):
    path = make(HANDLER, rules="def act(world, clock):\n    return 1\n")
    World.load(path)
    (path.parent / "rules.py").unlink()
    with pytest.raises(UsageError, match="there is no module 'rules'"):
        World.load(path)


def test_worlds_with_modules_of_one_name_do_not_mix(make):
    first = make(HANDLER, rules="def act(world, clock):\n    return 1\n")
    second = make(HANDLER, rules="def act(world, clock):\n    return 2\n")
    assert [World.load(path).call("act", {}) for path in (first, second, first)] == [1, 2, 1]


def test_a_relative_path_means_another_file_in_another_folder(make, monkeypatch):
    for count in (1, 2):
        monkeypatch.chdir(make(ONE % count).parent)
        assert len(World.load("world.yaml").x) == count


def test_without_handlers_a_world_that_names_some_is_refused_before_any_runs(make):
    path = make(HANDLER, rules="raise SystemExit('ran')\n")
    with pytest.raises(UsageError) as caught:
        World.load(path, handlers=False)
    assert str(caught.value) == (
        f"{path}:1:82: handler 'rules.act' is Python code, and no handlers may run here\n"
        "    Load it with handlers=True (without --no-handlers) if you trust the code, or remove the operation."
    )


def test_without_handlers_a_file_that_was_loaded_with_them_is_refused_too(make):
    path = make(HANDLER, rules="def act(world, clock):\n    return 1\n")
    World.load(path)
    with pytest.raises(UsageError, match="no handlers may run here"):
        World.load(path, handlers=False)
    with pytest.raises(UsageError, match="no handlers may run here"):
        World.parse(load(path), handlers=False)
    assert len(World.load(make(ONE % 2), handlers=False).x) == 2


def test_handlers_that_do_not_load_are_all_named(make):
    path = make(
        """\
        services:
          a:
            records: { x: { n: int } }
            operations:
              one: { kind: custom, handler: rules.at }
              two: { kind: custom, handler: ruls.act }
        """,
        rules="def act(world, clock):\n    return 1\n",
    )
    with pytest.raises(UsageError) as caught:
        World.load(path)
    assert [problem.nearest for problem in caught.value.problems] == ["act", "rules"]
    assert [str(problem.at) for problem in caught.value.problems] == [f"{path}:5:37", f"{path}:6:37"]


def test_a_missing_file_is_a_usage_error_that_names_it(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere.yaml"):
        World.load(tmp_path / "nowhere.yaml")


def test_only_so_many_files_and_seeds_are_kept(make):
    path = make(ONE % 1)
    for seed in range(loading.KEPT_SEEDS + 3):
        World.load(path, seed=seed)
    assert len(loading.load(path)._seeded) == loading.KEPT_SEEDS
    for count in range(loading.KEPT_FILES + 3):
        World.load(make(ONE % count))
    assert len(loading._files) == loading.KEPT_FILES
    assert len(World.load(path).x) == 1


def test_worlds_may_be_written_in_toml_and_json(tmp_path):
    toml = tmp_path / "w.toml"
    toml.write_text('[services.a.records.x]\nkind = "enum[p, q]"\n[services.a.seed]\nx = 2\n', encoding="utf-8")
    json = tmp_path / "w.json"
    json.write_text(
        '{"services": {"a": {"records": {"x": {"kind": "enum[p, q]"}}, "seed": {"x": 2}}}}', encoding="utf-8"
    )
    assert World.load(toml).snapshot() == World.load(json).snapshot()
