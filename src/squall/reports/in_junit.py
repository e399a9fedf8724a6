"""What files of test results have in common: text that XML can hold, seconds, the frame. Knows no report."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, tostring

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


def held(words: str) -> str:
    """Words without what XML cannot hold. Whoever writes them still escapes what means something there."""
    return NO_XML.sub("\ufffd", words)


def seconds(value: float) -> str:
    """As the attribute `time` has it."""
    return f"{value:.3f}"


def whole(suites: Element) -> str:
    """The file of a `<testsuites>`."""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(suites, encoding="unicode")}\n'
