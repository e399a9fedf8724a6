"""What a whole connection consists of: the steps of one answer after another. Moves no byte itself.

Followed by an asyncio connection (`server.py`), or under a sync client without a socket (`sync.py`).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec

from squall.wire.http.parser import Expect, Parser
from squall.wire.http.steps import Answer, Fin, Malformed, Refuse, Send, Step

GO_ON = Send(b"HTTP/1.1 100 Continue\r\n\r\n")


class Read(msgspec.Struct, frozen=True):
    """Feed the parser: nothing can be done before more has come."""


class Part(msgspec.Struct, frozen=True):
    """Close after a refusal: the client may still be sending, and shall read it all the same."""


READ, PART, FIN = Read(), Part(), Fin()
Talk = Generator[Step | Read | Part, Any, None]


def talk(parser: Parser, answer: Answer, refuse: Refuse) -> Talk:
    """The steps of a connection, whose bytes the parser is fed with. Goes on until it is closed."""
    while True:
        request = parser.next()
        if request is None:
            yield READ
        elif isinstance(request, Malformed):
            yield Send(refuse(request))
            yield PART
        elif isinstance(request, Expect):
            yield GO_ON
        else:
            yield from answer(request)
            if parser.over:
                yield FIN
