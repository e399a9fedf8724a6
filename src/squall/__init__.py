"""squall tests tool-using AI agents in bad weather.

The package's face: the few names that tests import, each loaded from its room when it is first used, so that
`import squall` costs nothing in a session that does not need it. Knows where a name lives, not what it does; nothing
inside the package imports this module.

PYTEST_DONT_REWRITE: nothing is asserted in here.
"""

from __future__ import annotations

from squall.version import __version__

TYPE_CHECKING = False  # what `typing` calls by this name, without importing it; type checkers know it too
if TYPE_CHECKING:
    from squall.capture.by_hand import record_model_call
    from squall.capture.run import AgentCheckFailed
    from squall.capture.run import Run as run  # noqa: N813 - read as a verb: with squall.run(…)
    from squall.capture.tool import tool
    from squall.errors import LimitReached, SquallError, UsageError
    from squall.interpose import scope
    from squall.runs.current import finally_
    from squall.runs.environment import Environment as world  # noqa: N813 - read as a verb: with squall.world(…)
    from squall.runs.exploring.face import find_failures, keep_failure, replay_failure, sometimes
    from squall.wire.callables import ToolError
    from squall.worlds import (
        InvalidRow,
        NoSuchRow,
        World,
        at_most_once,
        conserved,
        exactly_once,
        no_orphans,
        unchanged,
    )

__all__ = [
    "AgentCheckFailed",
    "InvalidRow",
    "LimitReached",
    "NoSuchRow",
    "SquallError",
    "ToolError",
    "UsageError",
    "World",
    "__version__",
    "at_most_once",
    "conserved",
    "exactly_once",
    "finally_",
    "find_failures",
    "keep_failure",
    "no_orphans",
    "record_model_call",
    "replay_failure",
    "run",
    "scope",
    "sometimes",
    "tool",
    "unchanged",
    "world",
]

_HOMES = {
    "AgentCheckFailed": ("squall.capture.run", "AgentCheckFailed"),
    "InvalidRow": ("squall.worlds", "InvalidRow"),
    "LimitReached": ("squall.errors", "LimitReached"),
    "NoSuchRow": ("squall.worlds", "NoSuchRow"),
    "SquallError": ("squall.errors", "SquallError"),
    "ToolError": ("squall.wire.callables", "ToolError"),
    "UsageError": ("squall.errors", "UsageError"),
    "World": ("squall.worlds", "World"),
    "at_most_once": ("squall.worlds", "at_most_once"),
    "conserved": ("squall.worlds", "conserved"),
    "exactly_once": ("squall.worlds", "exactly_once"),
    "finally_": ("squall.runs.current", "finally_"),
    "find_failures": ("squall.runs.exploring.face", "find_failures"),
    "keep_failure": ("squall.runs.exploring.face", "keep_failure"),
    "no_orphans": ("squall.worlds", "no_orphans"),
    "record_model_call": ("squall.capture.by_hand", "record_model_call"),
    "replay_failure": ("squall.runs.exploring.face", "replay_failure"),
    "run": ("squall.capture.run", "Run"),
    "scope": ("squall.interpose", "scope"),
    "sometimes": ("squall.runs.exploring.face", "sometimes"),
    "tool": ("squall.capture.tool", "tool"),
    "unchanged": ("squall.worlds", "unchanged"),
    "world": ("squall.runs.environment", "Environment"),
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(_unknown(name), name=name)
    from importlib import import_module  # laziness is the point of this module

    value: object = getattr(import_module(home[0]), home[1])
    globals()[name] = value  # the next use is a plain look-up
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _unknown(name: str) -> str:
    text = f"module 'squall' has no attribute {name!r}"
    if name.startswith("_"):  # a tool probing for a protocol: no advice, and no import to give it
        return text
    from squall.errors import nearest  # only needed when something is wrong

    close = nearest(name, _HOMES)
    return f"{text}; did you mean {close!r}?" if close else f"{text}; it has {', '.join(_HOMES)}"
