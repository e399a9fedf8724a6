"""What a check says about one run. Knows no check and no report."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Word = Literal["pass", "fail", "unknown", "skipped"]
Mode = Literal["fail", "warn", "off"]
WORDS: tuple[str, ...] = get_args(Word)
MODES: tuple[str, ...] = get_args(Mode)


class Verdict(msgspec.Struct, frozen=True):
    """`reason` says why; its parts, joined by `;`, are printed one per line. `step` is where it shows.

    `unknown`: the check itself broke, or cannot know. `mode` says what a fired check means: `fail` fails the test,
    `warn` only tells. `detail` is for whoever mends a check that broke: its traceback.
    """

    check: str
    verdict: Word
    reason: str = ""
    step: int | None = None
    mode: Mode = "fail"
    detail: str = ""

    @property
    def fired(self) -> bool:
        """Whether the check found what it looks for."""
        return self.verdict == "fail"

    @property
    def fails(self) -> bool:
        """Whether a test fails by it."""
        return self.fired and self.mode == "fail"

    @property
    def parts(self) -> list[str]:
        """The parts of the reason, a line each."""
        return [part for each in self.reason.split(";") if (part := each.strip())]


def passed(check: str) -> Verdict:
    """Nothing was found."""
    return Verdict(check, "pass")


def fired(check: str, reasons: str | list[str], step: int | None = None) -> Verdict:
    """It was found, once or several times; `step` is that of the first."""
    return Verdict(check, "fail", reasons if isinstance(reasons, str) else "; ".join(reasons), step)


def unknown(check: str, reason: str, detail: str = "") -> Verdict:
    """It cannot be said."""
    return Verdict(check, "unknown", reason, detail=detail)
