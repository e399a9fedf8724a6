"""Settings as they are said: by a test's marker, on the command line, in the environment, in `pyproject.toml`.

What is said first counts, in that order, key by key. Each source is a plain mapping with the names that its keys have
there, so that a mistake is told where it was made; which option or marker it came from is for the caller to know.

`checks` names those to run (`squall.checks.chosen` says how). `skip` and `modes` hold for what the same source or a
nearer one names; what a farther one says does not take away a check that is asked for by name.

    [tool.squall]
    mode = "warn"
    checks = ["default", "abstention=fail"]
    policy = "agents/policy.toml"
    loop_min_steps = 8
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from squall.checks.check import Particular
from squall.checks.chosen import chosen, listed, one_of
from squall.checks.options import DEFAULT, THRESHOLDS, thresholds
from squall.checks.policy import Policy, find_policy, policy_of
from squall.checks.policy.file import policy_in
from squall.checks.redact import REDACTIONS, Redaction
from squall.checks.registry import checks, named
from squall.checks.settings import Settings
from squall.checks.verdict import MODES, Mode
from squall.documents import Document, load
from squall.errors import Position, Problem, UsageError, is_weather, nearest, shown

__tracebackhide__ = is_weather

REPORTS = ("json", "markdown", "export_otlp")
OF_MARKERS = ("checks", "skip", "policy", "mode", "modes", "off")
OF_OPTIONS = {
    "mode": "--squall",
    "checks": "--squall-checks",
    "policy": "--squall-policy",
    "redact": "--squall-redact",
    "json": "--squall-json",
    "markdown": "--squall-markdown",
    "export_otlp": "--squall-export-otlp",
}
OF_ENVIRONMENT = {
    "mode": "SQUALL",
    "checks": "SQUALL_CHECKS",
    "policy": "SQUALL_POLICY",
    "redact": "SQUALL_REDACT",
}
OF_PROJECTS = ("mode", "checks", "skip", "modes", "policy", "redact", *REPORTS, *THRESHOLDS, "terminal_tools")
TABLE = ("tool", "squall")

Place = Callable[[str], Position]


class Source(NamedTuple):
    """What one source says. `place` tells where a key stands in it, `base` what its paths are relative to."""

    values: Mapping[str, Any]
    keys: Sequence[str]
    place: Place
    base: Path
    document: Document | None = None


class Said(msgspec.Struct, kw_only=True):
    """The same, understood. None: nothing is said of it."""

    mode: Mode | None = None
    only: tuple[str, ...] | None = None
    named: tuple[str, ...] = ()
    skip: tuple[str, ...] | None = None
    modes: dict[str, Mode] = {}
    policy: Policy | Path | None = None
    policy_at: Position | None = None
    redaction: Redaction | None = None
    reports: dict[str, Path] = {}
    options: dict[str, Any] = {}
    extra: dict[str, Any] = {}


def from_marker(given: Mapping[str, Any], *, base: Path, at: Position | None = None) -> Source:
    """The arguments of `checks(checks=…, skip=…, policy=…, mode=…, modes=…, off=…)`."""
    return Source(given, OF_MARKERS, lambda key: at or Position(f"checks({key}=…)"), base)


def from_options(given: Mapping[str, Any], *, base: Path) -> Source:
    """Options of the command line by their keys here; None for those that are not given."""
    said = {key: value for key, value in given.items() if value is not None}
    return Source(said, tuple(OF_OPTIONS), lambda key: Position(OF_OPTIONS.get(key, key)), base)


def from_environment(environ: Mapping[str, str], *, base: Path) -> Source:
    """Variables of the environment; an empty one says nothing."""
    said = {key: environ[name] for key, name in OF_ENVIRONMENT.items() if environ.get(name, "").strip()}
    return Source(said, tuple(OF_ENVIRONMENT), lambda key: Position(OF_ENVIRONMENT[key]), base)


def from_pyproject(root: Path) -> Source:
    """The table `[tool.squall]` of the project at `root`; its paths start there. Plug-in checks have tables below."""
    file = root / "pyproject.toml"
    try:
        mentioned = b"squall" in file.read_bytes()
    except OSError:
        mentioned = False
    if not mentioned:
        return Source({}, OF_PROJECTS, lambda _key: Position(str(file)), root)
    document = load(file)
    tool = document.data.get("tool", {})
    table = tool.get("squall", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(table, Mapping):
        message = f"[tool.squall] is a table of settings, not {shown(table)}"
        raise UsageError(Problem(message, document.at(TABLE), hint='Write [tool.squall], and below it mode = "warn".'))
    return Source(table, OF_PROJECTS, lambda key: document.at((*TABLE, key), key=True), root, document)


def settings(sources: Iterable[Source], *, root: Path) -> Settings:
    """What counts of all that is said; `root` is the project's. The nearest source comes first.

    Raises UsageError with everything that is wrong in any source, and in the policy that is used; and, before that,
    with everything that is wrong with the checks of plug-ins.
    """
    checks()
    found, problems = [], list[Problem]()
    for source in sources:
        reading = _Reading(source)
        found.append(reading.said())
        problems += reading.problems
    if problems:
        raise UsageError(problems)
    named_at = next((n for n, said in enumerate(found) if said.only is not None), len(found))
    only = found[named_at].only or () if named_at < len(found) else None
    modes: dict[str, Mode] = {}
    for number, said in reversed(list(enumerate(found))):
        asked_for = only or () if number > named_at else ()
        modes |= {name: mode for name, mode in said.modes.items() if mode != "off" or name not in asked_for}
    reports: dict[str, Path] = {}
    options: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for said in reversed(found):
        reports |= said.reports
        options |= said.options
        extra |= said.extra
    settled = Settings(
        only=only,
        named=found[named_at].named if named_at < len(found) else (),
        skip=next((said.skip for said in found[: named_at + 1] if said.skip is not None), ()),
        modes=modes,
        mode=next((said.mode for said in found if said.mode is not None), "fail"),
        redaction=next((said.redaction for said in found if said.redaction is not None), "builtin"),
        reports=reports,
        options=msgspec.structs.replace(thresholds(options, DEFAULT), extra=extra),
    )
    return settled if settled.mode_of("policy", "fail") == "off" else _with_policy(settled, found, root)


def _with_policy(settled: Settings, found: list[Said], root: Path) -> Settings:
    said = next((said for said in found if said.policy is not None), Said())
    policy = find_policy(root) if said.policy is None else said.policy
    if policy is None:
        return settled
    file = policy if isinstance(policy, Path) else None
    try:
        options = msgspec.structs.replace(settled.options, policy=policy_of(policy))
    except UsageError as error:
        placed = [problem if problem.at else problem._replace(at=said.policy_at) for problem in error.problems]
        raise UsageError(placed) from None
    return msgspec.structs.replace(settled, options=options, policy_file=file)


class _Reading:
    """Understands one source; what is wrong is collected, each with its place."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.problems: list[Problem] = []

    def said(self) -> Said:
        """What the source says, as far as it is right."""
        said = Said()
        for key, value in self._source.values.items():
            try:
                self._take(said, key, value)
            except UsageError as error:
                self.problems += (p if p.at else p._replace(at=self._source.place(key)) for p in error.problems)
        return said

    def _take(self, said: Said, key: str, value: Any) -> None:
        if key not in self._source.keys:
            self._take_table(said, key, value)
        elif key == "off":
            self._take_off(said, value)
        elif key == "mode":
            said.mode = one_of(key, value, MODES)
        elif key == "redact":
            said.redaction = one_of(key, value, REDACTIONS)
        elif key == "checks":
            self._take_checks(said, value)
        elif key == "skip":
            said.skip = named(listed(key, value))
        elif key == "modes":
            self._take_modes(said, value)
        elif key == "policy":
            said.policy = self._policy(value)
            said.policy_at = self._source.place(key)
        elif key in REPORTS:
            said.reports[key] = self._path(key, value)
        else:
            thresholds({key: value})
            said.options[key] = value

    def _take_table(self, said: Said, key: str, value: Any) -> None:
        """What is said to a check of a plug-in; there is nothing else with a name of its own."""
        check = next((each for each in checks() if each.name == key), None)
        if isinstance(value, Mapping) and self._source.document is not None and check is not None:
            wrong = check.misfits(value) if isinstance(check, Particular) else ()
            if problems := [Problem(f"{key}: {each}", self._source.place(key)) for each in wrong]:
                raise UsageError(problems)
            said.extra[key] = dict(value)
            return
        hint = f"There are {', '.join(self._source.keys)}."
        raise UsageError(Problem(f"there is no setting {key!r}", nearest=nearest(key, self._source.keys), hint=hint))

    def _take_off(self, said: Said, value: Any) -> None:
        if not isinstance(value, bool):
            raise UsageError(Problem(f"off is True or False, not {shown(value)}", hint="Write off=True."))
        if value and "mode" in self._source.values:
            raise UsageError(Problem("off=True and mode= cannot stand in one marker", hint="Take one of them out."))
        if value:
            said.mode = "off"

    @staticmethod
    def _take_checks(said: Said, value: Any) -> None:
        said.only, said.named, modes = chosen(value)
        said.modes |= modes

    @staticmethod
    def _take_modes(said: Said, value: Any) -> None:
        if not isinstance(value, Mapping):
            hint = 'Write modes = { claimed_not_done = "fail" }, for example.'
            raise UsageError(Problem(f"modes has a mode for each check that it names, not {shown(value)}", hint=hint))
        proper = dict(zip(value, named(map(str, value)), strict=True))
        said.modes |= {proper[name]: one_of(f"the mode of {name}", mode, MODES) for name, mode in value.items()}

    def _policy(self, value: Any) -> Policy | Path:
        if isinstance(value, Mapping) and self._source.document is not None:
            return policy_in(self._source.document, (*TABLE, "policy"))
        if isinstance(value, Mapping | Policy):
            return policy_of(value)
        return self._path("policy", value)

    def _path(self, key: str, value: Any) -> Path:
        if not isinstance(value, str | Path) or not str(value).strip():
            raise UsageError(Problem(f"{key} is the path of a file, not {shown(value)}"))
        return self._source.base / value
