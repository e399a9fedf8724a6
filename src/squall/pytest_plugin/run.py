"""One run of one test: its environment, from before the test's fixtures to after them, and its outcome.

Knows `squall.runs.environment` and what the markers ask for; the hooks that call it are in `phases` and `fixtures`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from traceback import format_exception_only
from typing import TYPE_CHECKING

import pytest

from squall.pytest_plugin.calm import aims, of_single
from squall.pytest_plugin.markers import Asked, Mode
from squall.pytest_plugin.record import RunRecord
from squall.pytest_plugin.runs import KEY, copy_of, group_in, size_of
from squall.pytest_plugin.traces import trace_path
from squall.runs.result import Status, first_deciding, gives_way, leaves, status_of

if TYPE_CHECKING:
    from squall.runs.environment import Environment
    from squall.runs.result import RunResult
    from squall.trace import Trace
    from squall.worlds.file.loading import Loaded

LONGEST = 300
EACH = "squall_each"  # in xdist's input of workers, under --dist=each
BROKEN, FINALLY = "squall: a handler of the world is broken", "squall finally_"  # headings
NO_ANSWER, NO_BRAIN = "squall: the model had no answer", "squall: the model's brain is broken"
OURS = {  # by name, as the rooms that have them are imported with the first world and the first model
    "HandlerBug": BROKEN,
    "BrainBug": NO_BRAIN,
    "UnfitReply": NO_BRAIN,
    "NoMatch": NO_ANSWER,
    "UnfitAnswer": NO_ANSWER,
    "Leak": "squall: a request went astray",
}


class Run:
    """One run: begun anew whenever its item is executed."""

    def __init__(self, item: pytest.Function, asked: Asked, index: int | None) -> None:
        self.item, self.asked, self.index = item, asked, index
        self.group = group_in(item.nodeid, item)
        self.wanted = asked.environment  # whether the run needs an environment; fixtures ask for one too
        self.environment: Environment | None = None
        self.quiet = False  # one of many runs of an exploration, of which only the last word is told
        self.outer: list[str] | None = None  # the names of its wider-scoped fixtures, once that is known
        self.told = False  # that it is on wall time, where it is not meant to be
        self.own_seed: int | None = None  # a kept failure's
        self.loaded: Loaded | None = None  # its world's file, where that is read once for many runs
        self.reset()

    def reset(self) -> None:
        """Forget an earlier execution of the same item (a re-run)."""
        self.result: RunResult | None = None
        self.ended = False
        self.status: Status = "passed"
        self.violated = ""
        self.property = ""  # of the world, by its name, where one was violated
        self.expected: str | None = None
        self.strict = False
        self.seed = seed_of(self.item.config) or 0
        self.mistake = ""  # what keeps the test from testing anything, whatever the weather
        self.planned = False  # whether its plan has faults
        self.broke: set[int] = set()  # which errors came from the world's own code, by id
        self.aims: dict[str, int] = {}  # see `calm`; of a run that chance spared
        self.wider: list[BaseException] = []  # of fixtures that outlive it: no failures of this run
        self.more: list[tuple[str, str]] = []  # what else went wrong, beside the error that is raised, with headings

    @contextmanager
    def opened(self, mode: Mode | None = None) -> Iterator[Environment]:
        """While the context lives the run has its environment, and its clock is in charge."""
        environment = open_environment(self, mode or self.asked.clock or "virtual")
        with ExitStack() as stack:
            # not `with environment`: what its finally_ functions raised has been raised by the test's body already
            stack.callback(environment.close)
            environment.__enter__()
            self.environment = environment
            if self.asked.model is not None:
                environment.model.load(self.asked.model)
            try:
                yield environment
            finally:
                self.finish(None)
                self.environment = None

    def finish(self, error: BaseException | None) -> None:
        """End the run, right after the test's body: late effects land, `finally_` functions run, the trace ends."""
        if self.environment is None or self.ended:
            return
        self.ended = True
        self.seed = self.environment.seed
        self.result = self.environment.finish(error)
        self.planned = bool(self.environment.plan.rules.faults)
        self.broke = {id(each) for _, each in self.environment.interposer.bugs}
        if self.result.drawn and not self.result.fired:
            self.aims = aims(self.environment)
        if not self.quiet:
            write_trace(self.item, self.environment.trace, self.index)

    def judge(self, error: BaseException | None) -> BaseException | None:
        """Note what the test's body came to, and say what is to be raised for it."""
        result = self.result
        late = list(result.errors) if result else []  # of functions given to finally_, and of the world's handlers
        bugs = [each for each in late if type(each).__name__ in OURS or id(each) in self.broke]
        late.sort(key=lambda each: each not in bugs)  # stable: what is broken explains the rest
        first = bugs[0] if bugs else first_violated(sorted([*([error] if error else []), *late], key=gives_way))
        raised = first_deciding(error, late)
        self.status = result.status if result else status_of(error)
        self.violated = in_one_line(first) if first else ""
        self.property = "" if self.quiet else property_among([*([error] if error else []), *late])
        said = None if raised is None else str(raised)
        self.more = [(self._heading(each), in_full(each)) for each in late if each is not raised and str(each) != said]
        if raised is not error and raised in bugs:  # its frames are squall's, and its words name the user's
            return pytest.fail.Exception(in_full(raised), pytrace=False)
        hidden = raised is not None and self.status == "hung" and gives_way(raised)  # the limit was swallowed
        spared = self.quiet and self.status == "not_fired"
        if spared or self.status in {"passed", "skipped"} or (raised is not None and not hidden):
            return raised
        self.violated = {
            "not_fired": f"not fired: {'; '.join(result.not_fired if result else ())}",
            "hung": "the run reached its limit, and what the limit raised was swallowed",
        }.get(self.status, f"the run {self.status}")
        return pytest.fail.Exception(self.violated, pytrace=False)

    def _heading(self, error: BaseException) -> str:
        return OURS.get(type(error).__name__, BROKEN if id(error) in self.broke else FINALLY)

    def notes(self) -> list[str]:
        """What was not as it should be, though the test passed."""
        result = self.result
        if result is None or self.quiet:
            return []
        calm = [of_single(self.aims)] if self.index is None and result.drawn and not result.fired else []
        return [*result.notes, *calm]

    def record(self) -> RunRecord:
        """What the run's group is told."""
        result = self.result
        return RunRecord(
            group=self.group,
            index=self.index or 0,
            size=size_of(self.item),
            copy=copy_of(self.item),
            followed=bool(self.wider),
            required=self.asked.rate,
            confidence=self.asked.confidence,
            status=self.status,
            seed=self.seed,
            violated=self.violated,
            property=self.property,
            line=result.line if result else "",
            mistake=self.mistake,
            expected=self.expected,
            strict=self.strict,
            drawn=result.drawn if result else False,
            fired=result.fired if result and self.planned else None,
            aims=self.aims,
            whole=self.item.config.option.runs or self.asked.runs or 1,
        )


def run_of(item: pytest.Item) -> Run | None:
    """The run that `item` is, if it is one of squall's."""
    return item.stash.get(KEY, None)


def write_trace(item: pytest.Item, trace: Trace, index: int | None = None) -> None:
    """Write the trace of a run of `item` where the user wants traces, if that is so."""
    config = item.config
    if folder := config.option.squall_traces:
        path = trace_path(config.invocation_params.dir / folder, group_in(item.nodeid, item), index, worker_of(config))
        path.parent.mkdir(parents=True, exist_ok=True)
        trace.write(path)


def worker_of(config: pytest.Config) -> str | None:
    """Which of xdist's workers this is, where each of them does all runs."""
    workerinput: dict[str, str] = getattr(config, "workerinput", {})
    return workerinput.get("workerid") if EACH in workerinput else None


def seed_of(config: pytest.Config) -> int | None:
    """The seed that the user gave; None leaves it to each world's file."""
    seed: int | None = config.option.squall_seed
    return seed


@cache
def environment_class() -> type[Environment]:
    """Imported when the first run needs it: tests that are only repeated never do."""
    # on first use, see above
    from squall.runs.environment import Environment

    return Environment


def open_environment(run: Run, mode: Mode) -> Environment:
    """The environment that the markers of a run describe; UsageError where a file is wrong."""
    asked = run.asked
    return environment_class()(
        run.loaded or asked.world,
        faults=asked.faults,
        seed=seed_of(run.item.config) if run.own_seed is None else run.own_seed,
        run_index=run.index or 0,
        clock=mode,
        name=run.group,
        limits=asked.limits,
    )


def first_violated(errors: Iterable[BaseException]) -> BaseException | None:
    """The first assertion among the errors of a run; without one, the first of all."""
    found = [leaf for error in errors for leaf in leaves(error)]
    return next((leaf for leaf in found if isinstance(leaf, AssertionError)), found[0] if found else None)


def property_among(errors: Sequence[BaseException]) -> str:
    """The name of the first property of the world that one of a run's errors comes from; "" where none does."""
    if not isinstance(first_violated(errors), AssertionError):
        return ""
    from squall.runs.exploring.identity import property_of  # with all that explores: most runs violate nothing

    return next((name for error in errors if (name := property_of(error))), "")


def in_full(error: BaseException) -> str:
    """An exception's own words, without its traceback."""
    if isinstance(error, pytest.fail.Exception | pytest.skip.Exception):
        return str(error.msg)
    if type(error).__name__ in OURS:
        return str(error)  # whose name says nothing to those who wrote the handler, or the script
    return "".join(format_exception_only(error)).strip()


def in_one_line(error: BaseException) -> str:
    """The first line of an exception's own words."""
    text = in_full(error).partition("\n")[0].rstrip(":")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"
