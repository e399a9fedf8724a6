"""Opaque cursors: text that says where a page ended, to whoever made it and to nobody else.

The same page always gives the same cursor. A cursor that was changed, or cut, is found out. Knows no query.
"""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from squall.canonical import dumps

_KEY = b"squall: cursors of lists, form 1"
_TAG = 8
"""So many bytes tell whether a cursor is whole."""


def seal(value: Any) -> str:
    """A cursor that holds `value` (JSON)."""
    plain = dumps(value)
    tag = _tag(plain)
    return urlsafe_b64encode(tag + _mixed(plain, tag)).rstrip(b"=").decode()


def unseal(text: str) -> Any:
    """What `seal` was given. Raises ValueError for any other text."""
    try:
        data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError:
        data = b""
    tag, plain = data[:_TAG], _mixed(data[_TAG:], data[:_TAG])
    if not plain or _tag(plain) != tag:
        raise ValueError("not a cursor")
    return json.loads(plain)


def _tag(plain: bytes) -> bytes:
    return hashlib.blake2b(plain, key=_KEY, digest_size=_TAG).digest()


def _mixed(data: bytes, tag: bytes) -> bytes:
    stream = hashlib.shake_256(_KEY + tag).digest(len(data))
    return bytes(left ^ right for left, right in zip(data, stream, strict=True))
