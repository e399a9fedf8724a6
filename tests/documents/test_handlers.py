"""Handlers: found beside the file, then in its parent, then installed; one world's modules are never another's."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from squall.documents import load_handler
from squall.errors import Position, UsageError


def write(path: Path, source: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return path


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "shop" / "shop.yaml", "name: shop\n")


def refusal(reference, near, **kwargs) -> str:
    with pytest.raises(UsageError) as caught:
        load_handler(reference, near, **kwargs)
    return str(caught.value)


def test_a_handler_is_found_beside_the_world_file(world):
    write(world.parent / "rules.py", "def pay(): return 'beside'")
    write(world.parent.parent / "rules.py", "def pay(): return 'parent'")
    assert load_handler("rules.pay", world)() == "beside"


def test_a_handler_is_found_in_the_parent_folder(world):
    write(world.parent.parent / "rules.py", "def pay(): return 'parent'")
    assert load_handler("rules.pay", world)() == "parent"


def test_a_handler_is_found_among_the_installed_modules(world):
    assert load_handler("os.path.join", world) is os.path.join
    assert load_handler("json.dumps", str(world))([1]) == "[1]"


def test_the_path_of_the_process_stays_as_it_is_and_no_plain_module_name_appears(world):
    write(world.parent / "rules.py", "import other_rules\ndef pay(): return other_rules.fee()")
    write(world.parent / "other_rules.py", "def fee(): return 3")
    before = list(sys.path)
    assert load_handler("rules.pay", world)() == 3
    assert sys.path == before
    assert "rules" not in sys.modules
    assert "other_rules" not in sys.modules


def test_two_worlds_with_modules_of_one_name_do_not_mix(tmp_path):
    answers = []
    for name in ("first", "second"):
        near = tmp_path / name / "shop.yaml"
        write(near.with_name("rules.py"), "from other_rules import fee\ndef pay(): return fee()")
        write(near.with_name("other_rules.py"), f"def fee(): return {name!r}")
        answers.append(load_handler("rules.pay", near))
    assert [pay() for pay in answers] == ["first", "second"]


def test_an_import_inside_a_function_finds_the_sibling_when_it_is_called(world):
    write(world.parent / "rules.py", "def pay():\n    import other_rules\n    return other_rules.fee()")
    pay = load_handler("rules.pay", world)
    write(world.parent / "other_rules.py", "def fee(): return 4")
    assert pay() == 4


def test_a_sibling_wins_over_an_installed_module_only_inside_the_folder(world):
    write(world.parent / "calendar.py", "def month(): return 'ours'")
    write(world.parent / "rules.py", "import calendar, json\ndef pay(): return calendar.month(), json.dumps(1)")
    assert load_handler("rules.pay", world)() == ("ours", "1")
    import calendar

    assert not isinstance(calendar.month, str)
    assert calendar.__file__ != str(world.parent / "calendar.py")


def test_packages_with_relative_imports_work(world):
    write(world.parent / "pkg" / "__init__.py", "")
    write(
        world.parent / "pkg" / "mod.py",
        "from . import fees\nfrom .deep.more import PI\nimport pkg.fees as again\n"
        "from pkg import fees as third\nassert fees is again is third\ndef pay(): return fees.FEE + PI",
    )
    write(world.parent / "pkg" / "fees.py", "FEE = 1")
    write(world.parent / "pkg" / "deep" / "__init__.py", "")
    write(world.parent / "pkg" / "deep" / "more.py", "PI = 3")
    assert load_handler("pkg.mod.pay", world)() == 4


def test_a_folder_without_init_is_a_package_too(world):
    write(world.parent / "plainpkg" / "mod.py", "from plainpkg.fees import FEE\ndef pay(): return FEE")
    write(world.parent / "plainpkg" / "fees.py", "FEE = 7")
    assert load_handler("plainpkg.mod.pay", world)() == 7


def test_import_of_a_dotted_sibling_binds_the_top_package(world):
    write(world.parent / "pkg" / "__init__.py", "TOP = 1")
    write(world.parent / "pkg" / "fees.py", "FEE = 2")
    write(world.parent / "rules.py", "import pkg.fees\ndef pay(): return pkg.TOP, pkg.fees.FEE")
    assert load_handler("rules.pay", world)() == (1, 2)


def test_a_method_of_a_class_can_be_a_handler(world):
    write(world.parent / "rules.py", "class Till:\n    @staticmethod\n    def pay(): return 'till'")
    assert load_handler("rules.Till.pay", world)() == "till"


def test_dataclasses_and_pickle_work_in_a_handlers_module(world):
    write(
        world.parent / "rules.py",
        "from __future__ import annotations\nfrom dataclasses import dataclass, KW_ONLY\n"
        "@dataclass\nclass Receipt:\n    total: int\n    _: KW_ONLY\n    paid: bool = True\n"
        "def pay(): return Receipt(5)",
    )
    receipt = load_handler("rules.pay", world)()
    assert pickle.loads(pickle.dumps(receipt)) == receipt  # noqa: S301 (its own bytes)


def test_a_file_is_executed_once_until_it_changes(world):
    rules = write(world.parent / "rules.py", "calls = []\ndef pay(): return 1\ndef refund(): return calls")
    first = load_handler("rules.pay", world)
    load_handler("rules.refund", world)().append("kept")
    assert load_handler("rules.pay", world) is first
    assert load_handler("rules.refund", world)() == ["kept"]
    rules.write_text("calls = []\ndef pay(): return 22\ndef refund(): return calls")
    assert load_handler("rules.pay", world)() == 22
    assert load_handler("rules.refund", world)() == []


def test_a_changed_sibling_reaches_the_handler(world):
    write(world.parent / "rules.py", "import other_rules\ndef pay(): return other_rules.FEE")
    write(world.parent / "other_rules.py", "FEE = 1")
    assert load_handler("rules.pay", world)() == 1
    write(world.parent / "other_rules.py", "FEE = 200")
    assert load_handler("rules.pay", world)() == 200


def test_two_worlds_in_one_folder_share_a_module(world):
    write(world.parent / "rules.py", "def pay(): return 1")
    assert load_handler("rules.pay", world) is load_handler("rules.pay", world.with_name("second.yaml"))


def test_no_compiled_files_appear_beside_the_users_files(world):
    write(world.parent / "rules.py", "import other_rules\ndef pay(): return 1")
    write(world.parent / "other_rules.py", "")
    load_handler("rules.pay", world)
    assert sorted(p.name for p in world.parent.iterdir()) == ["other_rules.py", "rules.py", "shop.yaml"]


def test_threads_that_load_at_once_execute_the_module_once(world):
    write(world.parent / "rules.py", "import threading\nran = [threading.get_ident()]\ndef pay(): return ran")
    gate = threading.Barrier(8)

    def load(_):
        gate.wait(5)
        return load_handler("rules.pay", world)

    with ThreadPoolExecutor(8) as pool:
        assert len({id(handler) for handler in pool.map(load, range(8))}) == 1


def test_a_module_that_is_not_there_says_where_it_was_looked_for(world):
    write(world.parent / "shop_rules.py", "def pay(): ...")
    assert refusal("shop_ruls.pay", Path("shop/shop.yaml")) == (
        "shop/shop.yaml: there is no module 'shop_ruls' for the handler 'shop_ruls.pay'; did you mean 'shop_rules'?\n"
        "    Looked in 'shop' and '.' and among the installed modules."
    )


def test_the_error_stands_where_the_caller_says(world):
    at = Position("shop.yaml", 12, 7)
    assert refusal("nothing_here.pay", world, at=at).startswith("shop.yaml:12:7: there is no module 'nothing_here'")


def test_an_installed_package_without_the_module_is_named(world):
    assert "the module 'json' has no 'nothing' for the handler 'json.nothing.pay'" in refusal("json.nothing.pay", world)


def test_a_missing_function_names_the_nearest_and_what_there_is(world):
    write(world.parent / "rules.py", "from os.path import join\ndef create_return(): ...\ndef pay(): ...\nFEE = 3")
    assert refusal("rules.create_retrun", "shop/shop.yaml") == (
        "shop/shop.yaml: shop/rules.py has no 'create_retrun' for the handler 'rules.create_retrun'; "
        "did you mean 'create_return'?\n    It defines create_return, pay."
    )


def test_a_module_without_functions_says_so(world):
    write(world.parent / "rules.py", "FEE = 3")
    assert refusal("rules.pay", world).endswith("\n    It defines no function.")


def test_something_that_cannot_be_called_is_refused(world):
    write(world.parent / "rules.py", "FEE = 3")
    assert "the handler 'rules.FEE' is not a function but 3" in refusal("rules.FEE", world)


@pytest.mark.parametrize(
    "reference", ["pay", "", ".", "rules.", ".pay", "rules..pay", "rules.pay()", "../rules.pay", "a b.c"]
)
def test_a_reference_that_is_no_dotted_name_is_refused(world, reference):
    assert "names no handler\n    Write it as module.function." in refusal(reference, world)


def test_what_a_module_raises_is_told_with_its_line(world):
    write(world.parent / "rules.py", "def fee():\n    return 1 / 0\n\nFEE = fee()\n")
    text = "cannot be imported: ZeroDivisionError: division by zero (shop/rules.py:2)"
    assert text in refusal("rules.pay", world)


def test_what_a_sibling_raises_is_told_with_the_importing_line(world):
    write(world.parent / "rules.py", "\nimport other_rules\n")
    write(world.parent / "other_rules.py", "raise RuntimeError('closed')")
    assert "RuntimeError: closed (shop/rules.py:2)" in refusal("rules.pay", world)


def test_a_syntax_error_is_told_with_its_line(world):
    write(world.parent / "rules.py", "x = 1\ndef pay(:\n")
    assert "cannot be imported: SyntaxError: " in refusal("rules.pay", world)
    assert "(shop/rules.py:2)" in refusal("rules.pay", world)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "import not_installed_anywhere",
            "ModuleNotFoundError: No module named 'not_installed_anywhere' (shop/rules.py:1)",
        ),
        ("from os import nothing_like_it", "ImportError: cannot import name 'nothing_like_it' from 'os'"),
        ("raise SystemExit(3)", "SystemExit: 3 (shop/rules.py:1)"),
        ("raise ValueError", "ValueError (shop/rules.py:1)"),
        ("x = '\\ud800'.encode()", "UnicodeEncodeError: "),
    ],
)
def test_whatever_an_import_raises_becomes_one_clear_message(world, source, said):
    write(world.parent / "rules.py", source)
    assert f"the handler 'rules.pay' cannot be imported: {said}" in refusal("rules.pay", world)


def test_a_source_with_bytes_that_are_no_text_is_told(world):
    (world.parent / "rules.py").write_bytes(b"x = '\xff'\n")
    assert "cannot be imported: SyntaxError: " in refusal("rules.pay", world)


def test_a_module_that_failed_is_tried_again_once_it_is_mended(world):
    rules = write(world.parent / "rules.py", "1 / 0")
    assert "ZeroDivisionError" in refusal("rules.pay", world)
    rules.write_text("def pay(): return 'mended'")
    assert load_handler("rules.pay", world)() == "mended"


def test_an_installed_package_that_raises_is_told(world, tmp_path, monkeypatch):
    write(tmp_path / "site" / "broken_package_x" / "__init__.py", "raise RuntimeError('broken')")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert "cannot be imported: RuntimeError: broken" in refusal("broken_package_x.mod.pay", world)
    assert "cannot be imported: RuntimeError: broken" in refusal("broken_package_x.pay", world)


def test_an_installed_module_without_the_function_is_named(world):
    assert "has no 'pay'" in refusal("json.decoder.pay", world)


def test_a_sibling_that_is_a_package_may_run_its_own_submodules(world):
    write(world.parent / "pkg" / "__init__.py", "from pkg.fees import FEE")
    write(world.parent / "pkg" / "fees.py", "FEE = 5")
    write(world.parent / "rules.py", "from pkg import FEE\nimport absent_or_not\ndef pay(): return FEE")
    write(world.parent / "absent_or_not.py", "")
    assert load_handler("rules.pay", world)() == 5


def test_a_loaded_file_that_is_gone_is_no_longer_used(world):
    rules = write(world.parent / "rules.py", "def pay(): return 1")
    load_handler("rules.pay", world)
    rules.unlink()
    assert "there is no module 'rules'" in refusal("rules.pay", world)


def test_without_a_readable_folder_there_are_no_names_to_suggest(tmp_path):
    assert "there is no module 'nothing_here'" in refusal("nothing_here.pay", tmp_path / "gone" / "deep" / "w.yaml")
