"""What `import squall` costs, and what its plug-in adds to a pytest session that does not use it.

Whole interpreters and whole sessions, in turns, by CPU time, with byte code kept as on a user's machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _table import MADE, Figure, at_most, children, difference, median, plain, show, turns
from _venvs import install, pinned, python_of, run, wheel

ROUNDS = 41
HEAVY = "pydantic mcp mcp_types msgspec ruamel typer rich anyio httpx2 openai anthropic asyncio".split()
LOADED = f"import sys; print(' '.join(name for name in {HEAVY} if name in sys.modules))"
SYNC = "def test_nothing():\n    pass\n"
ASYNC = "import pytest\n\n\n@pytest.mark.asyncio\nasync def test_nothing():\n    pass\n"
OFF = ("-p", "no:squall")


class Session:
    """A folder with one test, and how pytest is run on it."""

    def __init__(self, name: str, test: str, python: Path | str, *options: str) -> None:
        self.folder = MADE / "sessions" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "test_one.py").write_text(test)
        (self.folder / "pytest.ini").write_text("[pytest]\n")
        (self.folder / "conftest.py").write_text(f"def pytest_unconfigure():\n    {LOADED}\n")
        self.python, self.options = python, options

    def __call__(self) -> str:
        """Run it; what stands on its last line are the heavy modules that it loaded."""
        done = run(self.python, "-m", "pytest", "-q", *self.options, cwd=self.folder)
        assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
        return done.stdout.splitlines()[-1]


def main() -> None:
    pytest = pinned("pytest", "pytest-asyncio")
    without, beside = python_of("without", *pytest), python_of("beside", *pytest)
    install(beside, "--no-deps", "--force-reinstall", wheel())  # the door needs nothing else until a test asks for more
    here = sys.executable
    sync = [Session("sync_without", SYNC, without), Session("sync", SYNC, beside)]
    blocked = Session("sync_off", SYNC, beside, *OFF)
    async_ = [Session("async_without", ASYNC, without), Session("async", ASYNC, beside)]
    crowd = [Session("async_here_off", ASYNC, here, *OFF), Session("async_here", ASYNC, here)]
    bare, face, alone, woken, off, async_alone, awake, crowd_off, crowd_on = turns(
        lambda: run(here, "-c", "pass"),
        lambda: run(here, "-c", "import squall"),
        *sync,
        blocked,
        *async_,
        *crowd,
        rounds=ROUNDS,
        warm=2,
        clock=children,
    )
    imported = run(here, "-c", f"import squall; {LOADED}").stdout.strip()
    figures = [
        at_most("`import squall` adds to a bare interpreter", 1000 * difference(face, bare), 30, "ms"),
        plain("a bare interpreter takes", 1000 * median(bare), "ms"),
        at_most("the plug-in adds to a session, against a venv without", 1000 * difference(woken, alone), 30, "ms"),
        at_most("the plug-in adds to a session, against `-p no:squall`", 1000 * difference(woken, off), 30, "ms"),
        plain("a session with one empty test takes, without", 1000 * median(alone), "ms"),
        at_most("the plug-in adds to one with an async test", 1000 * difference(awake, async_alone), 30, "ms"),
        plain("a session with one empty async test takes, without", 1000 * median(async_alone), "ms"),
        at_most("… in this project's .venv, against `-p no:squall`", 1000 * difference(crowd_on, crowd_off), 30, "ms"),
        plain("a session with one empty async test takes there, without", 1000 * median(crowd_off), "ms"),
        Figure("heavy modules that `import squall` loads", imported or "none", "none", not imported),
    ]
    for what, (other, one) in (("a session", sync), ("one with an async test", async_)):
        more = " ".join(sorted(set(one().split()) - set(other().split())))
        figures.append(Figure(f"heavy modules that the plug-in adds to {what}", more or "none", "none", not more))
    show("Imports and start-up", figures)
    print(f"\nHeavy are: {', '.join(HEAVY)}.")


if __name__ == "__main__":
    main()
