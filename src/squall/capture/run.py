"""`squall.run`: one run of an agent, named in a test or a script, that the test can look at and have checked.

It records what the agent asks models and tools while its block lasts, in whatever thread or task, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from squall.canonical import instant
from squall.capture import hooks
from squall.capture.current import Capture, current, entered
from squall.capture.entry import entry_of
from squall.checks import Settings, Verdict, judge
from squall.checks.chosen import chosen, listed
from squall.checks.policy import Policy, policy_of
from squall.checks.redact import redacted, redactor
from squall.checks.registry import named
from squall.checks.settings import USUAL
from squall.checks.story import Story, ToolStep, Turn, story_of
from squall.clock import real
from squall.errors import PUBLIC, said
from squall.trace import Recorder, Trace
from squall.trace.kinds import AgentFinal, RunEnd, RunStart
from squall.version import __version__

MICRO = 1_000_000.0
Names = str | Iterable[str] | None
Limits = Policy | str | Path | Mapping[str, Any] | None


class AgentCheckFailed(AssertionError):
    """Checks have fired on a run; `result` has the verdicts."""

    __module__ = PUBLIC

    def __init__(self, result: Checked) -> None:
        self.result = result
        super().__init__(str(result))


class Checked:
    """What checks say of a run. `passed`: none that fails a test has fired; `fired` are all that did, warnings too."""

    def __init__(self, name: str, verdicts: list[Verdict]) -> None:
        self.name, self.verdicts = name, verdicts

    @property
    def fired(self) -> list[Verdict]:
        """The verdicts of the checks that found what they look for."""
        return [each for each in self.verdicts if each.fired]

    @property
    def passed(self) -> bool:
        """Whether nothing was found that fails a test."""
        return not any(each.fails for each in self.verdicts)

    def __str__(self) -> str:
        lines = [f"{each.check}: {part}" for each in self.fired for part in each.parts or [""]]
        count = len(self.fired)
        told = f"{count or 'no'} check{'' if count == 1 else 's'} fired"
        return "\n  ".join([f"the run {self.name!r}: {told}", *lines])

    def __repr__(self) -> str:
        return f"<Checked {self.name!r}: {'passed' if self.passed else 'failed'}>"


class Run:
    """One run. `name` is what reports call it, `user_id` whom it is for, which policies hold calls against.

    `checked` says that the test has looked at it itself. `settings` are those of the session, where there is one.
    """

    usual: Settings = USUAL
    """What runs are checked with where nobody says: set by whoever reads the settings of a session."""
    begun: list[Callable[[Run], None]] = []
    """Who wants to be told of every run that begins."""

    def __init__(self, name: str = "run", *, user_id: str | None = None) -> None:
        self.name, self.user_id = name, user_id
        self.checked = False
        self.error: BaseException | None = None
        outer = current()
        self.recorder = Recorder(f"{name}#0", _elapsed() if outer is None else outer.recorder.elapsed)
        self.trace = Trace(self.recorder.lines, self.recorder)
        self.capture = Capture(self.recorder)
        self.capture.between = None if outer is None else outer.between
        self._stack = ExitStack()
        self._result: Checked | None = None

    def __enter__(self) -> Self:
        hooks.install()
        start = instant(datetime.fromtimestamp(real.wall_time(), UTC))
        self.recorder.record(RunStart(squall=__version__, seed=0, run_index=0, clock="wall", start=start))
        for tell in self.begun:
            tell(self)
        self._stack.enter_context(entered(self.capture))
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.error = error
        if error is not None:
            self.recorder.record(AgentFinal(error=f"{type(error).__name__}: {said(error)}"))
        status = "passed" if error is None else "failed" if isinstance(error, AssertionError) else "crashed"
        self.recorder.end(lambda count: RunEnd(status=status, count=count))
        self._stack.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    @property
    def story(self) -> Story:
        """The run as checks read it, so far."""
        return story_of(self.trace)

    @property
    def steps(self) -> tuple[Turn | ToolStep, ...]:
        """What the model was asked and the tools that were called, in order; `steps[n - 1]` is step n of reasons."""
        return self.story.steps

    def check(self, *, checks: Names = None, skip: Names = None, policy: Limits = None) -> Checked:
        """Have the run checked, as far as it has come.

        `checks` are the names of those to run (those that are on), `skip` of those to leave out: a list, or text with
        commas. One that is named here fails, where `name=warn` does not say otherwise. `policy` is a file or the limits
        themselves. Raises UsageError for names that there are not, and for a policy that is none.
        """
        self.checked = True
        self._result = self._checked(checks, skip, policy)
        return self._result

    def assert_clean(self, *, checks: Names = None, skip: Names = None, policy: Limits = None) -> Checked:
        """The same, and raises `AgentCheckFailed` where one has fired that fails a test."""
        result = self.check(checks=checks, skip=skip, policy=policy)
        if not result.passed:
            raise AgentCheckFailed(result)
        return result

    @property
    def report(self) -> dict[str, Any]:
        """The run as reports have it, masked: what was counted, and the verdicts of the latest check or a usual one."""
        result = self._result or self._checked(None, None, None)
        entry = entry_of(self.trace, result.verdicts, scenario=self.name, checked_by_test=self.checked)
        masked: dict[str, Any] = redacted(entry, redactor(self.usual.redaction))
        return masked

    def _checked(self, checks: Names, skip: Names, policy: Limits) -> Checked:
        settings = self.usual
        options = settings.options
        if self.user_id is not None:
            options = msgspec.structs.replace(options, user_id=self.user_id)
        if policy is not None:
            options = msgspec.structs.replace(options, policy=policy_of(policy))
        settings = msgspec.structs.replace(settings, options=options)
        if checks is not None:
            settings = settings.asking_for(chosen(_listed(checks)))
        if skip is not None:
            skipped = named(listed("skip", _listed(skip)), "skip")
            settings = msgspec.structs.replace(settings, skip=(*settings.skip, *skipped))
        mask = redactor(settings.redaction)
        return Checked(mask(self.name), [_masked(each, mask) for each in judge(self.trace, settings)])


def _listed(given: str | Iterable[str]) -> str | list[str]:
    return given if isinstance(given, str) else list(given)


def _masked(verdict: Verdict, mask: Callable[[str], str]) -> Verdict:
    return msgspec.structs.replace(verdict, reason=mask(verdict.reason), detail=mask(verdict.detail))


def _elapsed() -> Callable[[], float]:
    """Seconds from now on, in real time, whole microseconds."""
    began = real.monotonic()
    return lambda: int((real.monotonic() - began) * MICRO) / MICRO
