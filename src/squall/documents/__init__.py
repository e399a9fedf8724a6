"""Files that people write: YAML, TOML and JSON with positions, and what is wrong with them in words for people.

Knows no world, no fault and no check: each room brings the pydantic model of its own files and calls `validate`.
Importing this is cheap; a format, pydantic and the handlers' import machinery come when they are used.
"""

from __future__ import annotations

from squall.documents.document import Document, load, parse
from squall.documents.durations import duration
from squall.documents.handlers import load_handler, path_shown
from squall.documents.validation import Invalid, problems_of, validate

__all__ = ["Document", "Invalid", "duration", "load", "load_handler", "parse", "path_shown", "problems_of", "validate"]
