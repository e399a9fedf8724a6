"""What squall tells without failing a test: warnings of pytest's kind, filtered as the user asked.

Knows pytest's warning capture only.
"""

from __future__ import annotations

import warnings

import pytest
from _pytest.warnings import catch_warnings_for_item

from squall.errors import Position


class SquallWarning(UserWarning):
    """A test may not test what it seems to."""


def warn(config: pytest.Config, message: str, at: Position) -> str | None:
    """Show a warning in pytest's summary. The message comes back if the user's filters make an error of it."""
    try:
        with catch_warnings_for_item(config=config, ihook=config.hook, when="runtest", item=None):
            warnings.warn_explicit(message, SquallWarning, at.file, at.line or 1)
    except SquallWarning as error:
        return str(error)
    return None
