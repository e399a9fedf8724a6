"""What kinds of fault in a stream share: places in it. Knows none of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

AFTER = 2  # the role, and the first text
Chunks = Annotated[int, Field(ge=0, strict=True)]
"""A number of chunks that have gone over the wire."""
