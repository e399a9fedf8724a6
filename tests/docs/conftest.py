"""Reads the examples out of a page of documentation, and runs them: what the tests in this folder work with.

How a page says what its blocks are:

- A block whose first line is a comment with a file's name (`# worlds/shop.yaml`) is that file, in the page's folder.
- YAML with `services:` is a world and loads; with `records:`, `seed:`, `operations:` alone it is a service and loads in
  a world of its own; any other YAML is a plan for the world before it. TOML and JSON parse; with `faults` it is a plan.
  Scripts and scenarios of models load, whatever their format, and so do policies (JSON with `deny_patterns`) and
  scenarios of the lab, with the files that they name; faults at steps load in a scenario of their own.
- Python runs, all blocks of a page in one namespace; a `text` block right after it is what it prints and raises.
  Python with tests runs in pytest: where a `console` block says so, else all at once at the end, and must pass then.
- `console` runs what follows `$ ` and compares what is shown below. `…` stands for anything, alone on a line for lines.
  `squall … &` is a process that goes on, of which as many lines are read as are shown; `kill %1` ends it. Port 18080 is
  another one here, which is free.
- `<!-- wrong: why -->` before a file: it must not load. `<!-- not run: why -->` is the only way not to be run.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from importlib.metadata import entry_points
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from anyio._backends import _asyncio

import squall
from squall import documents
from squall.capture import hooks
from squall.cli import main, of_models, of_policies, of_scenarios
from squall.clock.loop import LoopTime
from squall.errors import UsageError
from squall.faults import parse_plan
from squall.integrations.pydantic_ai import run_agent
from squall.pytest_plugin import door
from squall.runs.plans import targets_of
from squall.wire.mcp import McpServer
from squall.worlds import World

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
NOTE = re.compile(r"<!--\s*(?P<what>not run|wrong)\b:?(?P<why>(?:(?!-->).)*)-->\s*\Z", re.DOTALL)
NAMED = re.compile(r"#+ (?P<name>[\w./-]+\.(?:yaml|toml|py|ini))\n")
REASON = re.compile(r"\w+\W+\w+")
SERVICE = {"records", "seed", "operations"}
INSTALLED = any(point.value == "_squall_pytest" for point in entry_points(group="pytest11"))
# as a user's own project would have it; the rest would only cost time
OPTIONS = (
    "-p no:cacheprovider -p no:hypothesispytest -p no:timeout -p no:rerunfailures -p no:xdist "
    "-o asyncio_default_fixture_loop_scope=function" + ("" if INSTALLED else " -p _squall_pytest")
)
PORT = "18080"
DEMO = "examples/demo.py"  # what `make demo` runs once .venv is there
# Once for all pages: sessions inside this one forget what they import, and would import it anew.
LOADED = (McpServer, run_agent, door, LoopTime, _asyncio, *(getattr(squall, name) for name in squall.__all__))


RESULT = 'result = { price = 12, note = "long enough to be cut" }'
STEPPED = '[scenario]\nname = "example"\n' + f'[[steps]]\ntool = "f"\n{RESULT}\n' * 3


def is_at_step(fault: Any) -> bool:
    """Whether a fault is one of a scenario with steps."""
    return isinstance(fault, dict) and ("step" in fault or fault.get("kind") == "duplicate_task")


class Block(NamedTuple):
    """One fenced block. `note` is `not run` or `wrong`, `why` the reason given for it."""

    line: int
    language: str
    text: str
    note: str = ""
    why: str = ""

    @property
    def name(self) -> str | None:
        found = NAMED.match(self.text)
        return found["name"] if found else None


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for match in FENCE.finditer(text):
        indent = match["indent"]
        body = "".join(line.removeprefix(indent) for line in match["body"].splitlines(keepends=True))
        note = NOTE.search(text[: match.start()].rstrip() + "\n") or {"what": "", "why": ""}
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(line, match["language"], body, note["what"], note["why"].strip()))
    return found


def differs(shown: str, real: str) -> str | None:
    """How what a page shows differs from what is real; None if it does not."""
    pattern = ""
    for line in shown.rstrip().splitlines():
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"\n"
    actual = "".join(f"{line.rstrip()}\n" for line in real.rstrip().splitlines())
    return None if re.fullmatch(pattern, actual) else f"the page shows:\n{shown.rstrip()}\n\nit is:\n{actual.rstrip()}"


class Page:
    """One page, its folder, and what was found wrong with it."""

    def __init__(self, text: str, pytester: pytest.Pytester) -> None:
        self.port = free_port() if PORT in text else PORT
        self.blocks = blocks_of(text.replace(PORT, self.port))
        self.process: subprocess.Popen[str] | None = None
        self.pytester = pytester
        self.folder = pytester.path
        self.wrong: list[str] = []
        self.left_out: list[str] = []
        self.namespace: dict[str, Any] = {"__name__": "page"}
        self.world: Path | None = None
        self.tests: dict[str, int] = {}
        self.console = "".join(block.text for block in self.blocks if block.language == "console")

    def run(self) -> list[str]:
        """Run every block; returns a sentence for each that is wrong."""
        for block in reversed(self.blocks):
            self.write(block)  # a handler may be shown below the world that names it
        for block, after in zip_longest(self.blocks, self.blocks[1:]):
            self.write(block)
            if block.note == "not run":
                if not REASON.search(block.why):
                    self.say(block, "is not run, and gives no reason")
                continue
            act = getattr(self, f"do_{block.language}", None)
            if act is None:
                self.say(block, f"{block.language or 'nothing'!r} is no language that can be checked")
            else:
                act(block, after if after and after.language == "text" and not after.note else None)
        if self.tests:
            words = ["-q", *self.tests]
            real, status = self.shell(["pytest", *words])
            if status:
                self.wrong.append(f"the tests at lines {', '.join(map(str, self.tests.values()))} fail:\n{real}")
        return self.wrong

    def close(self) -> None:
        """End what goes on."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()

    def say(self, block: Block, message: str) -> None:
        self.wrong.append(f"line {block.line}: {message}")

    def write(self, block: Block) -> None:
        if block.name:
            path = self.folder / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)

    def do_text(self, block: Block, _after: Block | None) -> None:
        before = self.blocks[self.blocks.index(block) - 1]
        if before.language != "python" or before is block:
            self.say(block, "what a text block shows must come from the python block before it")

    def do_yaml(self, block: Block, _after: Block | None) -> None:
        self.load(block, "yaml")

    def do_toml(self, block: Block, _after: Block | None) -> None:
        self.load(block, "toml")

    def do_json(self, block: Block, _after: Block | None) -> None:
        for line in block.text.splitlines() if block.text.startswith('{"hash"') else [block.text]:
            json.loads(line)
        if any(f'"{key}"' in block.text for key in ("faults", "deny_patterns", "steps")):
            self.load(block, "json")

    def load(self, block: Block, kind: str) -> None:
        path = Path(block.name or f"line-{block.line}.{kind}")  # errors name a file as their reader would
        path.write_text(block.text)
        try:
            self.understand(path, kind)
        except UsageError as error:
            if block.note != "wrong":
                self.say(block, str(error))
        else:
            if block.note == "wrong":
                self.say(block, "is said to be wrong, and loads")

    def understand(self, path: Path, kind: str) -> None:
        document = documents.load(path)
        data = document.data
        if isinstance(data, dict) and data and data.keys() <= SERVICE:
            path.write_text(f"services: {{ example: {json.dumps(data)} }}")
            World.load(path)
        elif of_scenarios.is_scenario(data):
            of_scenarios.checked(path, handlers=True)
        elif isinstance(data, dict) and any(is_at_step(fault) for fault in data.get("faults") or ()):
            path.write_text(STEPPED + path.read_text())
            of_scenarios.checked(path, handlers=True)
        elif (of_model := of_models.kind_of(data)) is not None:
            of_models.checked(of_model, path, handlers=True)
        elif of_policies.is_policy(data, path):
            of_policies.checked(path)
        elif isinstance(data, dict) and "services" in data:
            self.world = path
            if World.load(path).spec.faults is not None:
                self.plan(document)
        elif kind == "yaml" or "faults" in data:
            self.plan(document)

    def plan(self, document: documents.Document) -> None:
        parse_plan(document, targets_of(World.load(self.world)) if self.world else ())

    def do_python(self, block: Block, after: Block | None) -> None:
        tree = ast.parse(block.text)
        tests = any(getattr(node, "name", "").startswith(("test_", "Test")) for node in tree.body)
        name = block.name or f"test_line_{block.line}.py"
        if tests:
            (self.folder / name).write_text(block.text)
            if name not in self.console:
                self.tests[name] = block.line
        elif block.name is None:
            real, raised = self.execute(block)
            if after is None and raised:
                self.say(block, raised)
            elif after is not None and (difference := differs(after.text, real + raised)):
                self.say(after, difference)

    def execute(self, block: Block) -> tuple[str, str]:
        """What it prints, and what it raises in the words that end a traceback."""
        code = compile("\n" * block.line + block.text, "page", "exec")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                exec(code, self.namespace)  # noqa: S102 - the page's own examples
            except Exception as error:
                return out.getvalue(), "".join(traceback.format_exception_only(error))
        return out.getvalue(), ""

    def do_console(self, block: Block, _after: Block | None) -> None:
        for command, shown in sessions(block.text):
            if command == "make demo" and not INSTALLED:
                self.left_out.append("make demo needs squall to be installed, as it is under make test")
                continue
            if command.startswith("curl ") and shutil.which("curl") is None:
                self.left_out.append("there is no curl on this machine")
                continue
            if command.endswith(" &"):
                real = self.start(shlex.split(command)[1:-1], len(shown.splitlines()))
            else:
                real, _ = self.shell(shlex.split(command))
            if difference := differs(shown, real):
                self.say(block, f"$ {command}\n{difference}")

    def start(self, words: list[str], lines: int) -> str:
        """Start squall as a process that goes on; its first lines."""
        at_port = [] if "--port" in words else ["--port", self.port]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "squall", *words, *at_port],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path_of_python()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        return "".join(self.process.stdout.readline() for _ in range(lines))

    def shell(self, words: list[str]) -> tuple[str, int]:
        """What a command shows, and its exit status. `squall` runs in this process, which is faster."""
        status = 0
        if words[0] == "squall":
            out = io.StringIO()
            with (
                pytest.MonkeyPatch.context() as patch,
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(out),
            ):
                patch.setattr(sys, "argv", words)
                try:
                    main()
                except SystemExit as end:
                    status = int(end.code or 0)
            return out.getvalue(), status
        if words[0] == "pytest":
            result = self.pytester.runpytest_inprocess(*words[1:])
            return result.stdout.str() + result.stderr.str(), result.ret
        if words[0] == "curl":
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
            return done.stdout + done.stderr, done.returncode
        if words == ["kill", "%1"] and self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            rest, _ = self.process.communicate(timeout=30)
            status, self.process = self.process.returncode, None
            return rest, status
        if words == ["make", "demo"]:
            assert f"$(BIN)/python {DEMO}" in (ROOT / "Makefile").read_text()
            return demo()
        return f"the tests of the documentation know no command {words[0]!r}", 1


def demo() -> tuple[str, int]:
    """What `make demo` shows, and its exit status."""
    done = subprocess.run(
        [sys.executable, DEMO],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path_of_python()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=100,
    )
    return done.stdout, done.returncode


def path_of_python() -> str:
    """Where processes find squall."""
    return os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))


def free_port() -> str:
    """A port that nobody listens on, with five digits as the one that it stands for."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return str(sock.getsockname()[1])


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block, with what is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.replace("\\\n", " ").partition("\n")
        yield command, shown


@pytest.fixture
def page(pytester, monkeypatch):
    """`page(text)` runs a page's examples and returns what is wrong with them."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("FORCE_COLOR", "CI", "BUILD_NUMBER"):  # where the last two are set, pytest cuts no line of its summary
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", OPTIONS)

    def run(text):
        page = Page(text, pytester)
        try:
            wrong = page.run()
        finally:
            page.close()
        if page.left_out and not wrong:
            pytest.skip("; ".join(page.left_out))
        return wrong

    before = hooks.installed()
    yield run
    if not before:  # another page imports SDKs anew, which these would not see
        hooks.uninstall()
