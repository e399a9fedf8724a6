from __future__ import annotations

from types import SimpleNamespace

import pytest

from squall.pytest_plugin.advice import RETURNED, about

IN_VAIN = "    A test that nothing awaits tests nothing, so it is no pass."
ANYIO = "    Or mark it @pytest.mark.anyio: anyio's plug-in is here, too."


def item(*plugins, marks=(), blocked=()):
    manager = SimpleNamespace(has_plugin=plugins.__contains__, is_blocked=blocked.__contains__)
    config = SimpleNamespace(pluginmanager=manager, stash=pytest.Stash())
    return SimpleNamespace(config=config, get_closest_marker=lambda name: name if name in marks else None)


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (
            item(),
            [
                "nothing awaits it: pip install pytest-asyncio",
                "    Then mark it @pytest.mark.asyncio, or set asyncio_mode = auto in pytest's ini file.",
                IN_VAIN,
            ],
        ),
        (
            item("anyio"),
            [
                "nothing awaits it: pip install pytest-asyncio",
                "    Then mark it @pytest.mark.asyncio, or set asyncio_mode = auto in pytest's ini file.",
                IN_VAIN,
                ANYIO,
            ],
        ),
        (
            item("asyncio"),
            ["nothing awaits it: add @pytest.mark.asyncio, or set asyncio_mode = auto", IN_VAIN],
        ),
        (
            item("asyncio", "anyio"),
            ["nothing awaits it: add @pytest.mark.asyncio, or set asyncio_mode = auto", IN_VAIN, ANYIO],
        ),
        (
            item("asyncio", marks=["asyncio"]),
            ["nothing awaited it, though it is marked: another plug-in or a conftest.py ran it instead", IN_VAIN],
        ),
        (
            item(blocked=["asyncio"]),
            ["nothing awaits it: pytest-asyncio is switched off (-p no:asyncio)", IN_VAIN],
        ),
    ],
)
def test_the_advice_goes_by_the_plug_ins_that_are_there(test, told):
    assert about(test) == "\n".join(told)


def test_it_is_given_in_full_once_in_a_session_and_then_in_a_line():
    test = item("asyncio", "anyio")
    assert about(test).count("\n") == 2
    assert about(test) == "nothing awaits it: add @pytest.mark.asyncio, or set asyncio_mode = auto"
    assert about(test, RETURNED) == RETURNED
