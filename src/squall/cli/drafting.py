"""What the commands that draft a world have in common: where the draft goes, and what is said about it."""

from __future__ import annotations

from pathlib import Path

import typer

from squall.drafts import Draft, handlers_text, world_text
from squall.errors import Position, Problem, UsageError, counted

_LISTED = 5


class Files:
    """Where a draft is written: the world file (shown if there is none) and the stubs of its handlers, if any.

    Raises UsageError for a file that is there already, unless `force` is given. Knows it before the work is done.
    """

    def __init__(self, output: Path | None, handlers: Path | None, *, force: bool) -> None:
        self._output = output
        self._handlers = handlers
        there = [file for file in (output, handlers) if file is not None and file.exists() and not force]
        if there:
            hint = "Name another file, or write over it with --force."
            raise UsageError([Problem("this file is there already", Position(str(file)), hint=hint) for file in there])
        if handlers is not None and not (handlers.suffix == ".py" and handlers.stem.isidentifier()):
            hint = "Name it as a Python module, rules.py for example."
            raise UsageError(Problem("no handler can be in a file of this name", Position(str(handlers)), hint=hint))

    def put(self, draft: Draft) -> None:
        """Write the draft, or show it."""
        text = world_text(draft, handlers=self._module(draft))
        if self._handlers is not None:
            _write(self._handlers, handlers_text(draft))
        if self._output is None:
            typer.echo(text, nl=False)
            return
        _write(self._output, text)
        size = f"{counted(len(draft.records), 'record')}, {counted(len(draft.operations), 'operation')}"
        typer.echo(f"{self._output}: a draft with {size}")
        if draft.customs:
            more = len(draft.customs) - _LISTED
            names = ", ".join(list(draft.customs)[:_LISTED]) + (f" and {more} more" if more > 0 else "")
            typer.echo(f"left in comments, for you to write: {names}")

    def _module(self, draft: Draft) -> str:
        """The module that the draft's custom operations name."""
        if self._handlers is not None:
            return self._handlers.stem
        module = f"{self._output.stem if self._output is not None else draft.name}_rules"
        return module if module.isidentifier() else "rules"


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"this file cannot be written: {error.strerror or error}"
        raise UsageError(Problem(message, Position(str(file)), hint="Name another one.")) from None
