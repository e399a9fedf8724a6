"""How a test's report tells what checks found: a line for each check and reason, then one hint.

Knows text and pytest's representations; nothing of how it was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from _pytest._code.code import ReprEntry, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from squall.pytest_plugin.checking.judged import Record

HEADING = "squall: checks"
MARK = "E   "  # what pytest shows in red
OF_ERRORS = {"unrecovered_tool_error", "unrecovered_model_error", "context_overflow", "incomplete_stream"}
OF_ANSWERS = OF_ERRORS | {"no_answer", "search_loop"}
TELLS_ANSWER = "if the agent answered something else than the model's last text: trace.final(answer) says so"
ENDING = "ends on a call"
"""What `no_answer` says of an agent that calls a tool and stops."""
TELLS_END = "if agents may end with that call: terminal_tools in [tool.squall], or a tool_choice, says so"
TELLS_ERROR = "if the test expects the error: pytest.raises says so"
Told = tuple[str, int | None, list[str]]


def representation(records: Sequence[Record], at: tuple[str, int | None, str]) -> ReprExceptionInfo:
    """Of a test that passed but for its runs: in place of a traceback, as nothing was raised."""
    failed = [record for record in records if record.fails]
    path, line, _ = at
    crash = ReprFileLocation(path, (line or 0) + 1, f"squall: {in_one_line(failed)}")
    told = "\n".join([headline(failed), "", *_lines(failed)]).splitlines()
    lines = [f"{MARK}{each}".rstrip() for each in told]
    where = ReprFileLocation(path, (line or 0) + 1, "AgentCheckFailed")
    shown = ReprEntry(lines, None, None, where, "long")
    return ReprExceptionInfo(ReprTraceback([shown], None, "long"), crash)


def section(records: Sequence[Record]) -> str:
    """Of a test that fails by itself: beside its traceback."""
    return "\n".join(_lines([record for record in records if record.fails]))


def headline(failed: Sequence[Record]) -> str:
    """What the test came to."""
    count = sum(len(record.failed) for record in failed)
    return f"the test's own asserts passed, but {count} check{'s' if count > 1 else ''} of its agent failed:"


def in_one_line(failed: Sequence[Record]) -> str:
    """`search_loop at step 7, policy`."""
    found = (f"{check} at step {step}" if step else check for each in failed for check, step, _ in each.failed)
    return ", ".join(dict.fromkeys(found))


def reasons(found: Iterable[Told], indent: str = "") -> list[str]:
    """Each check with its reasons: the first beside its name, the others below it."""
    found = list(found)
    width = max((len(check) for check, _, _ in found), default=0)
    lines = []
    for check, step, parts in found:
        first, *more = parts or ["it fired"]
        place = (
            ""
            if step is None or any(f"step {step}" in part or "steps " in part for part in parts)
            else f"step {step}: "
        )
        lines.append(f"{indent}{check.ljust(width)}  {place}{first}")
        lines += [f"{indent}{' ' * width}  {part}" for part in more]
    return lines


def hint(failed: Sequence[Record]) -> str:
    """What to do about it, told once."""
    names = dict.fromkeys(check for record in failed for check, _, _ in record.failed)
    told = [TELLS_ANSWER] if names.keys() & OF_ANSWERS else []
    told += [TELLS_ERROR] if names.keys() & OF_ERRORS else []
    parts = [part for record in failed for *_, reasons in record.failed for part in reasons]
    told += [TELLS_END] if any(ENDING in part for part in parts) else []
    what = "a check" if len(names) == 1 else "them"
    skip = f'@pytest.mark.checks(skip="{", ".join(names)}") leaves {what} out here, --squall=warn fails nothing'
    return "squall: " + "\n        ".join([*told, skip])


def _lines(failed: Sequence[Record]) -> list[str]:
    lines: list[str] = []
    for record in failed:
        scenario = record.entry["scenario"]
        if scenario is not None and len(failed) > 1:
            lines.append(f"in {scenario!r}:")
        lines += [*reasons(record.failed), ""]
    return [*lines, hint(failed)]
