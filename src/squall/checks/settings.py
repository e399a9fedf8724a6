"""What to judge with: which checks, what the firing of each means, and what they are told. Not: where that was said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from squall.checks.options import DEFAULT, Options
from squall.checks.redact import Redaction
from squall.checks.verdict import Mode


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`only` are the checks to run, by name (None: those that are not off by default); `skip` those that are not.

    `modes` says of single checks what their firing means, over their own default; a check that is off by default runs
    where `only` or `modes` names it. `mode` is the strongest that any may have: with `warn` nothing fails, with `off`
    nothing runs. `redaction` is how what is shown is masked. `reports` are the files that are asked for: `json`,
    `markdown`, `export_otlp`. `policy_file` is where the policy among `options` stands, where it stands in a file.
    """

    only: tuple[str, ...] | None = None
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
            found = "warn"  # it was asked for by name
        return "warn" if self.mode == "warn" and found == "fail" else found


USUAL = Settings()
