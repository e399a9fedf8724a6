"""One call of a tool, seen where it is called: what it was called with, and exactly what came of it.

Writes `tool_call` and `tool_result`. Knows no framework.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.capture.current import Capture, scope
from squall.errors import said
from squall.trace.kinds import ToolCall, ToolResult

ACCESS = {None: "", True: "write", False: "read"}


class ToolCalling:
    """A call of a tool that is under way. `mutates` says whether the tool changes something, None where nobody does."""

    def __init__(
        self,
        capture: Capture,
        tool: str,
        target: str,
        args: Mapping[str, Any],
        *,
        mutates: bool | None = None,
        key: Any = None,
    ) -> None:
        self.capture = capture
        self.number = capture.numbers()
        self._began = capture.recorder.elapsed()
        capture.recorder.record(
            ToolCall(
                call=self.number,
                tool=tool,
                target=target,
                access=ACCESS[mutates],
                args=args,
                scope=scope(),
                digest="",
                nth=0,
                key=None if key is None else str(key),
            )
        )

    def returned(self, value: Any) -> None:
        """It worked."""
        self._ended(ok=True, form="value", result=value)

    def refused(self, text: str, value: Any = None) -> None:
        """It said in its own way that it did not."""
        self._ended(ok=False, form="refused", result=value, error=text)

    def raised(self, error: BaseException) -> None:
        """It raised; or its caller has been told not to wait."""
        form = "crashed" if isinstance(error, Exception) else "cancelled"
        self._ended(ok=False, form=form, error=f"{type(error).__name__}: {said(error)}")

    def _ended(self, *, ok: bool, form: str, result: Any = None, error: str | None = None) -> None:
        recorder = self.capture.recorder
        recorder.record(
            ToolResult(
                call=self.number,
                ok=ok,
                form=form,
                result=result,
                error=error,
                latency_ms=round((recorder.elapsed() - self._began) * 1000, 3),
            )
        )
