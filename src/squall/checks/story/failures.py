"""How a call of a tool shows that it failed. Structure counts first, words last, and what is data is no failure.

In this order:

1. `exception`: the tool raised where a hook saw it, or no reply came.
2. `flag`: the provider's or the protocol's own mark (`is_error`, MCP's `isError`, a clean refusal at the hook).
3. `status`: HTTP's, 400 or more, beside an error's words or under a name that can mean nothing else (`status_code`).
4. `field`: a JSON object whose `success` is false; whose `ok` is false, beside an error's words or nothing else; or
   which tells of an `error` (or `"status": "error"`) and of nothing else: an object that has other data too is a record
   of something that failed, which is a result.
5. `words`: text that begins with `Error:`, `Exception:`, `SomeError:` or a traceback. Not the text of a log: not of a
   tool that reads logs, and not where lines of a log follow.
6. `default text`: what frameworks tell a model in place of a result (`FRAMEWORKS`).

"Order not found", `{"status": "failed"}`, `{"error": null}` and a paragraph about errors are results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from squall.checks.story.naming import words_of
from squall.checks.story.shapes import Failed

LOWEST, HIGHEST = 400, 599
STATUSES = ("status_code", "statusCode", "http_status", "httpStatus")
FLAGS = ("isError", "is_error")
ENVELOPE = frozenset(
    "error errors error_message error_code error_type errorMessage errorCode message msg code status status_code "
    "statusCode detail details reason type kind title hint hints suggestion help retry_after retryable request_id "
    "requestId trace_id timestamp path instance success ok result data param tool args traceback".split()
)
"""What an object that tells of an error and nothing else may have; `result` and `data` only where they are empty."""
SUSPECT = frozenset((*FLAGS, *STATUSES, "success", "ok", "error", "errors", "status", "type"))
"""Without one of these an object is a result."""
CARRIERS = ("result", "data")
TELLING = ("message", "error_message", "errorMessage", "detail", "error", "reason", "msg", "title")
BEGINNINGS = re.compile(
    r"(?:error|exception|fatal error|unhandled exception)\s*:|traceback \(most recent call last\)", re.IGNORECASE
)
RAISED = re.compile(r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::\s|$|\(['\"])")
LOG_LINE = re.compile(
    r"\W*(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[?(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\b\]?\s*[:\]|-])",
    re.IGNORECASE,
)
LOGS = frozenset(("log", "logs", "logfile", "journal", "tail", "stderr", "stdout"))
FRAMEWORKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (framework, re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for framework, pattern in (
        ("openai-agents", r"an error occurred while (?:running the tool|parsing tool arguments)\b"),
        ("openai-agents", r"invalid tool arguments\b.*\bcheck the tool schema and try again"),
        ("openai-agents", r"error running tool\b|tool '[^'\n]+' not found\.?\s*\Z"),
        ("langgraph", r"error (?:invoking|executing) tool\b"),
        ("langgraph", r"error: .*please fix your mistakes\.?\s*\Z"),
        ("langgraph", r"error: \S+ is not a valid tool\b"),
        ("langchain", r"tool input validation error\b"),
        ("langchain", r"\S+ is not a valid tool, try (?:one of|another one)\b"),
        ("pydantic-ai", r"unknown tool name: "),
        ("pydantic-ai", r"\d+ validation errors?:\s*```json"),
        ("pydantic", r"\d+ validation errors? for \S+\n"),
        ("pydantic-ai", r".*\bfix the errors and try again\.?\s*\Z"),
        ("mcp", r"unknown tool: |error calling tool\b|mcp error -\d+"),
        ("crewai", r"i encountered an error while trying to use the tool\b"),
        ("autogen", r"error: function \S+ not found|error: the arguments? (?:is|are) not in json"),
        ("smolagents", r"error (?:when|while|in) (?:executing|calling) tool\b|call id: .*\berror:"),
        ("llama-index", r"encountered error: |tool with name \S+ not found"),
        ("google-adk", r"invoking `[^`]+` failed as\b"),
        ("claude-code", r"<tool_use_error>"),
    )
)
"""Which framework says it, and how. They are matched from the beginning of the text."""
LONGEST_DEFAULT = 4000
"""Characters: a longer text is a document, whatever it begins with."""


class Failure(NamedTuple):
    """What shows the failure, and its text."""

    by: Failed
    text: str


def failure(tool: str, value: Any, text: str, *, flagged: bool = False) -> Failure | None:
    """What shows in a result that the call failed; None where it is a result. `flagged`: it is marked as an error."""
    if flagged:
        return Failure("flag", text)
    if isinstance(value, dict):
        return _of_object(value, text)
    return _of_text(tool, value) if isinstance(value, str) else None


def _of_object(value: dict[str, Any], text: str) -> Failure | None:
    by = None if value.keys().isdisjoint(SUSPECT) else _shown_by(value)
    return None if by is None else Failure(by, _told(value) or text)


def _shown_by(value: dict[str, Any]) -> Failed | None:
    names = value.keys()
    if not names.isdisjoint(FLAGS) and any(value.get(flag) is True for flag in FLAGS):
        return "flag"
    certain = not names.isdisjoint(STATUSES) and any(_is_error_status(value.get(name)) for name in STATUSES)
    if certain or (_is_error_status(value.get("status")) and any(value.get(name) for name in TELLING)):
        return "status"
    if value.get("success") is False or (value.get("ok") is False and _says_why_or_nothing(value)):
        return "field"
    return "field" if _tells_of_nothing_else(value) else None


def _is_error_status(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and LOWEST <= value <= HIGHEST


def _tells_of_nothing_else(value: Mapping[str, Any]) -> bool:
    if not value.keys() <= ENVELOPE or any(value.get(name) not in (None, "", [], {}) for name in CARRIERS):
        return False
    error = value.get("error") or value.get("errors")
    if error is True or (error and isinstance(error, str | Mapping | list)):
        return True
    says_error = str(value.get("status") or value.get("type")).lower() in ("error", "exception")
    return says_error and any(value.get(name) for name in TELLING)


def _says_why_or_nothing(value: Mapping[str, Any]) -> bool:
    """Not `{"ok": false, "stock": 0}`, which is what a question was answered with."""
    return value.keys() <= ENVELOPE or any(value.get(name) for name in TELLING)


def _told(value: Mapping[str, Any]) -> str:
    """The words of an error's object."""
    for name in ("error", *TELLING):
        said = value.get(name)
        if isinstance(said, dict):
            said = said.get("message")
        if isinstance(said, str) and said:
            return said
    return ""


def _of_text(tool: str, text: str) -> Failure | None:
    start = text.lstrip()
    if not start or LOGS & words_of(tool):
        return None
    if len(start) <= LONGEST_DEFAULT and any(pattern.match(start) for _, pattern in FRAMEWORKS):
        return Failure("default text", text)
    if (BEGINNINGS.match(start) or RAISED.match(start)) and not _is_log(start):
        return Failure("words", text)
    return None


def _is_log(text: str) -> bool:
    """Whether lines of a log follow the first one."""
    rest = [line for line in text.splitlines()[1:] if line.strip()]
    return any(LOG_LINE.match(line) for line in rest)
