"""The zoo: twelve agents with a bug each, and their repaired twins, as they are explored.

`python zoo.py` explores all and prints the table of README.md; `python zoo.py double_refund` shows what one pair comes
to. `python zoo.py keep FOLDER` writes each failure into a file, and `python zoo.py replay FILE…` runs it again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import squall

HERE = Path(__file__).parent
SHOP = HERE / "worlds" / "shop.yaml"
ONCE = (
    "timeout",
    "connection_lost",
    "http_503",
    "http_429",
    "error_in_200",
    "malformed_json",
    "empty_result",
    "stale_read",
)
"""All usual kinds but duplicate_delivery: what arrives twice is done twice, whatever the client does, unless the
service knows a key."""
ANSWERS = ("http_503", "http_429", "connection_error", "timeout", "malformed_json", "empty_content", "length_cut")
CALLS = ("truncated_arguments", "length_cut", "http_503")


class Pair(NamedTuple):
    """One animal: the module of both agents, how many faults its bug needs, and the kinds of fault that are tried."""

    name: str
    faults: int = 1
    kinds: tuple[str, ...] = ()
    world: bool = True
    asks: bool = False  # it has a model

    @property
    def module(self) -> Any:
        """Where its two agents are, its property, and what its model says."""
        return import_module(self.name)

    def play(self, agent: Callable[..., str]) -> Callable[[Any], None]:
        """The agent in a run: what it has is its tools; what it says at last is noted."""

        def play(run: Any) -> None:
            if self.asks:
                run.model.brain(getattr(self.module, "says", lambda _request: "On Tuesday."))
            run.trace.final(agent(run.tools) if self.world else agent())

        play.__name__ = f"{self.name}_{agent.__name__}"
        return play

    def explore(self, which: str, depth: int, **options: Any) -> Any:
        """Tries the faults on `buggy` or `repaired`."""
        return squall.find_failures(
            self.play(getattr(self.module, which)),
            SHOP if self.world else None,
            holds=self.module.holds,
            depth=depth,
            kinds=self.kinds,
            **options,
        )

    def find(self) -> Any:
        """The exploration up to where the bug is found."""
        return self.explore("buggy", self.faults, first=True)

    def keep(self, explored: Any, folder: Path) -> Path:
        """Writes the bug that was found into a file that replays."""
        return squall.keep_failure(explored.found[0], folder / self.name, test=self.name)

    def replay(self, path: Path) -> str:
        """Runs the buggy agent as it failed by a file."""
        world = SHOP if self.world else None
        return squall.replay_failure(path, self.play(self.module.buggy), world, holds=self.module.holds).words


PAIRS = {
    pair.name: pair
    for pair in (
        Pair("double_refund", kinds=ONCE),
        Pair("fresh_key"),
        Pair("ok_false"),
        Pair("same_call_loop", kinds=ONCE),
        Pair("resumed_step", kinds=ONCE),
        Pair("stale_cache", kinds=ONCE),
        Pair("empty_arguments", kinds=CALLS, asks=True),
        Pair("cut_call", kinds=CALLS, asks=True),
        Pair("missing_result", kinds=("http_503", "timeout", "malformed_json"), asks=True),
        Pair("masked_outage", kinds=ANSWERS, asks=True),
        Pair("retry_after", kinds=("http_429", "http_503"), world=False, asks=True),
        Pair("nested_retries", 2, kinds=("http_429", "http_503", "connection_error"), world=False, asks=True),
    )
}


def row(pair: Pair, explored: Any) -> str:
    """A line of the table."""
    (found,) = explored.found
    schedule = ", then ".join(map(str, found.schedule))
    return f"| `{pair.name}` | {schedule} | {len(found.schedule)} | {found.finding.first} |"


def shown(pair: Pair) -> str:
    """What both agents come to with two faults."""
    lines = []
    for which in ("buggy", "repaired"):
        explored = pair.explore(which, 2)
        lines += [f"{which}: {explored.coverage.claim}", *(f"  {note}" for note in explored.coverage.notes)]
        lines += [f"  {found.details.line}\n  {found.observed.message}" for found in explored.found]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["keep"]:
        for pair in PAIRS.values():
            print(pair.keep(pair.find(), Path(arguments[1])))
    elif arguments[:1] == ["replay"]:
        for path in map(Path, arguments[1:]):
            print(f"{path.parent.name}: {PAIRS[path.parent.name].replay(path)}")
    else:
        for pair in PAIRS.values():
            if pair.name in arguments or not arguments:
                print(shown(pair) if arguments else row(pair, pair.find()))


if __name__ == "__main__":
    main(sys.argv[1:])
