"""How much of what there is to try was tried: schedules of one fault, of two, and so on."""

from __future__ import annotations

import msgspec

NAMES = {1: ("single fault", "single faults"), 2: ("pair", "pairs"), 3: ("triple", "triples")}


class Share(msgspec.Struct, frozen=True):
    """Of the schedules of so many faults: `possible`, `run`, and `covered` (what they lead to is known).

    Covered are those whose faults all fired, and those `left_out` since a run in the same state stands for them.
    `never_fired` were run in vain; so were those `impossible`, which are no part of `possible`: the run has shown that
    nothing there can be changed so. `behind` begin with faults that fail already, are tried by nobody and are no part
    of `possible` either.
    """

    faults: int
    possible: int
    run: int
    covered: int
    left_out: int = 0
    never_fired: int = 0
    behind: int = 0
    drawn: bool = False
    impossible: int = 0

    @property
    def whole(self) -> bool:
        """Whether all are covered."""
        return self.covered == self.possible

    @property
    def percent(self) -> int:
        """The share that is covered, in whole percent, never rounded up."""
        return 100 * self.covered // self.possible if self.possible else 100

    def __str__(self) -> str:
        """`every pair (857)`, `63 % of pairs (540 of 857)`, `no pairs`, `40 of 12,000 triples, drawn evenly`."""
        one, many = name(self.faults)
        if self.possible == 0:
            return f"no {one} possible"
        if self.whole:
            return f"every {one} ({self.possible:,})"
        if self.covered == 0:
            return f"no {one} (0 of {self.possible:,})"
        if self.drawn:
            return f"{self.covered:,} of {self.possible:,} {many}, drawn evenly"
        percent = f"{self.percent} %" if self.percent else "less than 1 %"
        return f"{percent} of {many} ({self.covered:,} of {self.possible:,})"


def name(faults: int) -> tuple[str, str]:
    """What a schedule of so many faults is called, and several of them."""
    return NAMES.get(faults, (f"set of {faults} faults", f"sets of {faults} faults"))
