"""`orphan_call`: a model's call of a tool gets no result before the next request.

Fires where the next request of a conversation goes on from a reply that calls tools, and has no result of one of the
calls. Real providers refuse such a request.

Not: the calls of a conversation's last reply (`no_answer`'s business); where the request was refused and then made with
the results, or nothing more came of it and the agent began again with the same question; where the reply was thrown
away and asked for again; calls of declared `terminal_tools`; where a hook saw what came of a call and the messages of
the trace hold no results at all.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.story import Conversation, Message, Turn, Use, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace


class OrphanCall:
    """See the module."""

    name = "orphan_call"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each reply that calls tools, but the last."""
        for conversation in story_of(trace).conversations:
            seen = {id(step.use) for step in conversation.tools if step.hook and step.answered}
            for turn, results, accepted in _answered(conversation):
                if conversation.given_up and not accepted:
                    continue
                left = [use for use in _unanswered(turn, results) if use.name not in options.terminal_tools]
                if not results:
                    left = [use for use in left if id(use) not in seen]
                if left:
                    calls = ", ".join(showing.call(use) for use in left)
                    said = f"step {turn.step}: no result of {calls} in the request that follows"
                    return fired(self.name, said, turn.step)
        return passed(self.name)


def _answered(conversation: Conversation) -> list[tuple[Turn, list[Message], bool]]:
    """Each reply with calls, the results in the requests after it, up to the first accepted, and whether one was."""
    found: list[tuple[Turn, list[Message], bool]] = []
    results: list[Message] = []
    any_after = accepted = False
    for turn in reversed(conversation.turns):
        if turn.uses and any_after and not turn.dropped:
            found.append((turn, results, accepted))
        told = [message for message in turn.new if message.role == "tool"]
        results = told if turn.ok and not turn.dropped else told + results
        any_after = True
        accepted = accepted or turn.ok
    return found[::-1]


def _unanswered(turn: Turn, results: list[Message]) -> list[Use]:
    """The calls that no result is for: by their ids, and by order where there are none."""
    named = [message.answers for message in results if message.answers is not None]
    plain = sum(message.answers is None for message in results)
    left = []
    for use in turn.uses:
        if use.id in named:
            named.remove(use.id)
        elif plain:
            plain -= 1
        elif use.id is None and named:
            named.pop(0)
        else:
            left.append(use)
    return left


CHECK = OrphanCall()
