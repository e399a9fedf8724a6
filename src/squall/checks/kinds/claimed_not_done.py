"""`claimed_not_done`: the last text says that something is done, and no write of that kind succeeded. English only.

Fires where the last text of a conversation claims an action ("I have cancelled", "has been refunded", "successfully
booked"), a tool for that kind of action is there (offered or called), and no call in the whole run did it: none of that
kind succeeded, nor any whose name does not say what it does, nor one whose arguments or result speak of it.

Not: what the agent only read or was told ("your order has been cancelled on 3 May": the result of a read says it); what
is negated, asked, a condition or still to come; where no tool could do it; a reply that was cut, after which the agent
began again; where the provider ran tools of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import is_english, sentences
from squall.checks.recovery import ANYTHING, writes
from squall.checks.story import Conversation, Story, ToolStep, story_of
from squall.checks.story.content import as_text
from squall.checks.story.naming import seems_to_write, words_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

KINDS: tuple[tuple[str, str], ...] = (
    ("cancel cancellation void revoke terminate", "cancell?ed|voided|revoked"),
    ("refund reimburse credit return", "refunded|reimbursed"),
    ("book reserve rebook reservation booking", "booked|reserved|rebooked"),
    ("order purchase buy checkout place", "ordered|purchased|bought"),
    ("send email mail notify message sms forward", "sent|emailed|notified|forwarded"),
    ("delete remove erase drop clear", "deleted|removed|erased"),
    ("pay charge payment billing", "paid|charged"),
    ("transfer wire", "transferred|wired"),
    ("ship deliver dispatch", "shipped|dispatched"),
    ("schedule reschedule calendar appointment meeting", "scheduled|rescheduled"),
    ("upgrade downgrade cabin seat update change modify", "upgraded|downgraded"),
    ("approve", "approved"),
    ("deploy rollout release", "deployed"),
    ("publish post", "published"),
    ("merge", "merged"),
    ("subscribe unsubscribe", "subscribed|unsubscribed"),
    ("update change modify edit set adjust", "updated|changed|modified"),
    ("create open file register insert", "created|filed|registered"),
    ("issue certificate voucher", "issued"),
)
"""Words in the names of tools, and what is said when they have been used."""
GENERAL = frozenset("submit process save apply complete execute perform handle commit finalize confirm do act".split())
IDLE = frozenset(("think", "calculate", "plan"))
DONE = "|".join(said for _, said in KINDS)
CLAIM = re.compile(
    rf"\b(?:i|we)(?:['’]ve| have)? (?:(?:now|just|also|already|successfully|gone ahead and) )*(?P<own>{DONE})\b"
    rf"|\b(?:has|have) (?:(?:now|just|already|successfully) )*been (?:(?:now|successfully) )*(?P<been>{DONE})\b"
    rf"|\b(?:is|are) now (?:successfully )?(?P<now>{DONE})\b"
    rf"|\b(?:was|were) (?:successfully )(?P<was>{DONE})\b"
    rf"|\bsuccessfully (?P<well>{DONE})\b",
    re.IGNORECASE,
)
UNSURE = re.compile(
    r"\b(?:if|once|when|whether|after|until|unless|as soon as|before|would|should|could|may|might|will|shall|can|to be"
    r"|not|never|no|\w+n['’]t|cannot|yet|you(?:['’]ve| have)|previously|earlier|already been|originally|per your"
    r"|policy)\b|\?",
    re.IGNORECASE,
)


class ClaimedNotDone:
    """See the module."""

    name = "claimed_not_done"
    default: Mode = "warn"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge what each conversation ends with."""
        story = story_of(trace)
        for conversation in story.conversations:
            last = conversation.last
            if (
                last is None
                or not last.ok
                or last.uses
                or conversation.given_up
                or any(turn.hosted for turn in conversation.turns)
            ):
                continue
            for claim, kind in _claims(last.text):
                if _could(conversation, kind) and not _did(story, kind):
                    said = f"the last reply (step {last.step}) says {showing.quoted(claim)}"
                    return fired(self.name, f"{said}, and no call that does so succeeded", last.step)
        return passed(self.name)


def _claims(text: str) -> list[tuple[str, int]]:
    """The sentences that claim an action, each with its kind."""
    if not text.strip() or not is_english(text):
        return []
    found = []
    for sentence in sentences(text):
        claim = CLAIM.search(sentence)
        if claim is not None and not UNSURE.search(sentence):
            word = next(group for group in claim.groups() if group is not None)
            kinds = [place for place, (_, said) in enumerate(KINDS) if re.fullmatch(said, word, re.IGNORECASE)]
            found.append((sentence, kinds[0]))
    return found


def _could(conversation: Conversation, kind: int) -> bool:
    """Whether a tool for a kind of action is there."""
    names = {name for turn in conversation.turns[-1:] for name in turn.offered or ()}
    names |= {step.tool for step in conversation.tools}
    return any(_is_of(name, kind) for name in names)


def _did(story: Story, kind: int) -> bool:
    """Whether any call may have done it."""
    said = re.compile(rf"\b(?:{KINDS[kind][1]})\b", re.IGNORECASE)
    return any(_may_have_done(step, kind, said) for step in story.tools if step.succeeded)


def _may_have_done(step: ToolStep, kind: int, said: re.Pattern[str]) -> bool:
    if _is_of(step.tool, kind) and writes(step):
        return True
    words = words_of(step.tool)
    if words & (ANYTHING | GENERAL) or (step.mutates is None and not writes(step) and _says_nothing(step)):
        return True
    if isinstance(step.arguments, Mapping) and writes(step) and said.search(as_text(step.arguments)):
        return True
    return bool(said.search(step.text))


def _says_nothing(step: ToolStep) -> bool:
    return seems_to_write(step.tool) is None and not words_of(step.tool) & IDLE


def _is_of(name: str, kind: int) -> bool:
    return not words_of(name).isdisjoint(KINDS[kind][0].split())


CHECK = ClaimedNotDone()
