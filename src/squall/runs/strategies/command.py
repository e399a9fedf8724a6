"""A strategy that is another program, in any language. It runs on wall time.

It is told where everything is by its environment: `OPENAI_BASE_URL` and `ANTHROPIC_BASE_URL` (with dummy keys) where
there is a model, `SQUALL_MCP_URL` where there are tools, `SQUALL_TASK` (the text), `SQUALL_STEPS` (JSON), `SQUALL_SEED`
and `SQUALL_RUN_INDEX`. It ends `completed` with the exit status 0 and `failed` with any other, unless the last line of
its output is a JSON object with `status` and `answer`; the answer is that line otherwise.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from squall.clock.ending import limit
from squall.errors import Problem, UsageError, shown
from squall.runs.strategies.process import Ended, Process
from squall.runs.strategies.strategy import Result, Said

if TYPE_CHECKING:
    from squall.runs.scenario import Task
    from squall.runs.strategies.env import Env

SECONDS = 300.0
"""How long a command may take where the scenario's limits do not say."""
MOST = 2**20  # bytes of output that are looked at, from the end
MOST_ERRORS = 2**16  # the same, of what it writes to stderr
LINES = 5  # of stderr that are shown
MOST_SHOWN = 1000  # characters of them
RESULT = frozenset({"status", "answer"})
STATUSES = get_args(Said)
BEGINS = re.compile(r"\{\s*[\"'](?:status|answer)[\"']\s*:")


class CommandFailed(Exception):
    """A command says nothing of its task: it cannot be started, a signal ends it, or its result is none."""


class Command:
    """Runs a command line once per run. Raises UsageError where it can never be started."""

    deterministic = False

    def __init__(self, command: str) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise UsageError(Problem(f"the command {shown(command)} cannot be read: {error}")) from None
        if not self.words:
            raise UsageError(Problem("the command is empty", hint='Give one: --command "node agent.js".'))
        if shutil.which(self.words[0]) is None:
            hint = "Is it installed, and is the first word a program?"
            raise UsageError(Problem(f"there is no program {shown(self.words[0])} to start", hint=hint))
        self.name = _name(self.words)
        self.parameters: Mapping[str, Any] = {"command": self.words}

    async def run(self, task: Task, env: Env) -> Result:
        """Start the program, wait for it, and read how it says that it ended."""
        told = {
            "SQUALL_TASK": env.text,
            "SQUALL_STEPS": json.dumps([msgspec.to_builtins(step) for step in task.steps]),
            "SQUALL_SEED": str(env.seed),
            "SQUALL_RUN_INDEX": str(env.run_index),
        }
        if env.has_model:
            told |= {"OPENAI_BASE_URL": env.openai_base_url, "ANTHROPIC_BASE_URL": env.anthropic_base_url}
        if env.has_tools:
            told["SQUALL_MCP_URL"] = env.mcp_url
        try:  # the addresses come first: with them the process's own environment has got its dummy keys
            process = Process(self.words, os.environ | told, output=MOST, errors=MOST_ERRORS)
        except (OSError, ValueError) as error:
            raise CommandFailed(f"{shown(self.words[0])} cannot be started: {error}") from None
        run = env._run  # noqa: SLF001 - two halves of one room: agents are told of no limit
        run.interposer.at_limit = _nothing  # a call too many is never answered, and the clock knows
        stated = env._scenario.spec.limits.seconds  # noqa: SLF001 - as above
        seconds = SECONDS if stated is None else stated
        result: Result | None = None
        try:
            status = await process.wait(seconds, lambda: run.clock.limit_reached)
            result = _result(process.output, status)
        except TimeoutError:
            why = f"the command ran for {seconds:g} real seconds, which is its limit"
            raise limit(run.clock, why) from None
        except Ended as ended:
            raise limit(run.clock, str(ended)) from None
        finally:
            if result is None or result.status == "failed":
                run.clock.notes += _last_words(process.errors)
        return result


def _name(words: list[str]) -> str:
    """What to call a command: the file or the module that it runs, or else the program."""
    program, *rest = words
    files = (Path(word).stem for word in rest if is_file(word))
    modules = (module for flag, module in pairwise(rest) if flag == "-m")
    return next(files, None) or next(modules, None) or Path(program).stem


def is_file(word: str) -> bool:
    """Whether a word of a command is the name of a file."""
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _nothing() -> None:
    """Somebody else sees to the end."""


def _result(output: bytes, status: int) -> Result:
    """What the program says of its end. Raises CommandFailed."""
    if status < 0:
        raise CommandFailed(f"the command was ended by {_signal(-status)}")
    last = output.decode(errors="replace").strip().rpartition("\n")[2].strip()
    return _told(last) or Result("completed" if status == 0 else "failed", last or None)


def _told(line: str) -> Result | None:
    """The result that a line of JSON tells; None where it is other text. Raises CommandFailed where it is misspelt."""
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        if BEGINS.match(line) is None:
            return None
        raise CommandFailed(f"the command's last line begins like a result, and is no JSON: {shown(line)}") from None
    if "status" not in found or not found.keys() <= RESULT:
        return None
    if found["status"] not in STATUSES:
        raise CommandFailed(
            f"the command's last line gives the status {shown(found['status'])}; it may be {' or '.join(STATUSES)}"
        )
    return Result(found["status"], found.get("answer"))


def _last_words(errors: bytes) -> list[str]:
    """The last lines that it wrote to stderr, as a note."""
    lines = [line.rstrip() for line in errors.decode(errors="replace").splitlines() if line.strip()]
    return ["stderr of the command ended with: " + "\n".join(lines[-LINES:])[-MOST_SHOWN:]] if lines else []


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
