"""What to judge with: which checks, what the firing of each means, and what they are told. Not: where that was said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from squall.checks.chosen import Chosen
from squall.checks.options import DEFAULT, Options
from squall.checks.redact import Redaction
from squall.checks.verdict import Mode


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`only` are the checks to run, by name (None: those that are not off by default); `skip` those that are not.

    `modes` says of single checks what their firing means, over their own default. A check that is off by default runs
    where `only` or `modes` names it: it fails where it is among the `named`, asked for by its own name. `mode` is the
    strongest that any may have: with `warn` nothing fails, with `off` nothing runs. `redaction` is how what is shown is
    masked. `reports` are the files that are asked for: `json`, `markdown`, `export_otlp`. `policy_file` is where the
    policy among `options` stands, where it stands in a file.
    """

    only: tuple[str, ...] | None = None
    named: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    modes: Mapping[str, Mode] = {}
    mode: Mode = "fail"
    options: Options = DEFAULT
    redaction: Redaction = "builtin"
    reports: Mapping[str, Path] = {}
    policy_file: Path | None = None

    def mode_of(self, name: str, default: Mode) -> Mode:
        """What a check's firing means here; `off` where it does not run."""
        if self.mode == "off" or name in self.skip or (self.only is not None and name not in self.only):
            return "off"
        found = self.modes.get(name, default)
        if found == "off" and self.only is not None and name not in self.modes:
            found = "fail" if name in self.named else "warn"  # it was asked for, by itself or among all
        return "warn" if self.mode == "warn" and found == "fail" else found

    def asking_for(self, wanted: Chosen) -> Settings:
        """The same for who looks at certain checks: those called by name fail, and nothing takes one of them away."""
        modes = {name: mode for name, mode in self.modes.items() if mode != "off" or name not in wanted.only}
        modes |= dict.fromkeys(wanted.named, "fail")
        return msgspec.structs.replace(
            self,
            only=wanted.only,
            named=wanted.named,
            skip=tuple(name for name in self.skip if name not in wanted.only),
            modes=modes | wanted.modes,
        )


USUAL = Settings()
