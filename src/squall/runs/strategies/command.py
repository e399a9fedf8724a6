"""A strategy that is another program, in any language. It runs on wall time.

It is told where everything is by its environment: `OPENAI_BASE_URL` and `ANTHROPIC_BASE_URL` (with dummy keys) where
the scenario has a provider, `SQUALL_MCP_URL` where there are tools, `SQUALL_TASK` (the text), `SQUALL_STEPS` (JSON),
`SQUALL_SEED` and `SQUALL_RUN_INDEX`. It ends `completed` with the exit status 0 and `failed` with any other, unless the
last line of its output is a JSON object with `status` and `answer`.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from squall.errors import Problem, UsageError, shown
from squall.runs.strategies.strategy import Result

if TYPE_CHECKING:
    from squall.runs.scenario import Task
    from squall.runs.strategies.env import Env

MOST = 2**20  # bytes of output that are looked at, from the end
GRACE = 2.0  # seconds between asking a program to end and ending it


class Command:
    """Runs a command line once per run."""

    deterministic = False

    def __init__(self, command: str) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise UsageError(Problem(f"the command {shown(command)} cannot be read: {error}")) from None
        if not self.words:
            raise UsageError(Problem("the command is empty", hint='Give one: --command "node agent.js".'))
        self.name = Path(self.words[-1] if len(self.words) > 1 else self.words[0]).stem or "command"
        self.parameters: Mapping[str, Any] = {"command": self.words}

    async def run(self, task: Task, env: Env) -> Result:
        """Start the program, wait for it, and read how it says that it ended."""
        told = os.environ | {
            "SQUALL_TASK": task.text,
            "SQUALL_STEPS": json.dumps([msgspec.to_builtins(step) for step in task.steps]),
            "SQUALL_SEED": str(env.seed),
            "SQUALL_RUN_INDEX": str(env.run_index),
        }
        if env.has_tools:
            told["SQUALL_MCP_URL"] = str(env.mcp_url)
        if env.has_model:
            told |= {"OPENAI_BASE_URL": env.openai_base_url, "ANTHROPIC_BASE_URL": env.anthropic_base_url}
        try:
            process = await asyncio.create_subprocess_exec(*self.words, stdout=asyncio.subprocess.PIPE, env=told)
        except OSError as error:
            hint = "Is it installed, and is the first word a program?"
            raise UsageError(
                Problem(f"{shown(self.words[0])} cannot be started: {error.strerror}", hint=hint)
            ) from None
        try:
            output = await _tail(process)
            status = await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
                try:
                    await asyncio.wait_for(process.wait(), GRACE)
                except TimeoutError:
                    process.kill()
        return _result(output, status)


async def _tail(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    tail = b""
    while chunk := await process.stdout.read(2**16):
        tail = (tail + chunk)[-MOST:]
    return tail


def _result(output: bytes, status: int) -> Result:
    lines = output.decode(errors="replace").strip().splitlines()
    last = lines[-1] if lines else ""
    said: Any = None
    if last.startswith("{"):
        try:
            said = json.loads(last)
        except ValueError:
            said = None
    if isinstance(said, dict) and said.get("status") in ("completed", "failed"):
        return Result(said["status"], said.get("answer"))
    return Result("completed" if status == 0 else "failed", last or None)
