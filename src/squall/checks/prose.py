"""What English text says, as far as words alone tell: whether it admits a failure, whether it asks.

A check that fails a test never fires by what it reads here: it stays quiet by it. So everything is read generously,
and text in another language may say anything. Knows no story.
"""

from __future__ import annotations

import re
from functools import lru_cache

STOCK = re.compile(
    r"(?:do not|don['’]t|please) hesitate[^.!?\n]*"
    r"|(?:is|was) there (?:anything|something)[^.!?\n]*\?"
    r"|anything (?:else|more)[^.!?\n]*\?"
    r"|(?:how|what) (?:else )?(?:can|may) i (?:help|assist|do)[^.!?\n]*\?"
    r"|do you (?:have|need) (?:any|more|anything)[^.!?\n]*\?"
    r"|(?:if|should) (?:there (?:is|are)|you (?:have|need|encounter|run into|experience|require))[^.!?\n]*[.!?]?"
    r"|(?:no|not an?|without(?: any)?|never an?) (?:problems?|worr(?:y|ies)|issues?|trouble|errors?|failures?)\b"
    r"|not only\b|no further (?:action|steps)\b|sorry (?:for|about) the (?:wait|delay)"
    r"|(?:apolog\w+|sorry) for (?:any|the) (?:inconvenience|wait|delay)[^.!?\n]*",
    re.IGNORECASE,
)
"""What is said at the end of any text, whatever came before it."""
ADMISSION = re.compile(
    r"\b(?:unable|unfortunately|cannot|can ?not|fail(?:ed|s|ure|ures|ing)?|errors?|problems?|issues?|trouble|sorry"
    r"|apolog\w+|unavailable|unsuccessful\w*|declined|denied|rejected|refused|invalid|incorrect|mismatch\w*|timed? ?out"
    r"|timeouts?|outage|offline|(?:is|was|are|were|went|being) down|temporarily|try(?:ing)? (?:\w+ ){0,3}again"
    r"|retr(?:y|ied)"
    r"|instead|however|although|though|missing|exceed\w*|insufficient|partial(?:ly)?|incomplete|unknown|impossible"
    r"|could only|not|none|nothing|nobody|neither|nor|without|unconfirmed|unclear|pending|manual(?:ly)?|escalat\w+"
    r"|human agent|transferr(?:ed|ing) you|support team|unfinished|delayed|skipp\w+|expired|blocked|crash\w*|broken?"
    r"|ran into|encounter\w*|difficult(?:y|ies)|wrong|no [a-z]+"
    r"|fehler|fehlgeschlagen|nicht|leider|konnte|erreur|échec|fallo|falló|errore|fout|mislukt|erro|falha|falhou)\b"
    r"|(?<=\w)n['’]t\b|[❌⚠🚫⛔]",
    re.IGNORECASE,
)
"""Anything by which a text may own up to a failure, or say no."""
NOTHING_IN_JSON = re.compile(r"\b(?:false|null|fail\w*|error\w*|unknown|partial|skipped)\b", re.IGNORECASE)
REQUEST = re.compile(
    r"\bplease (?:\w+ )?(?:provide|confirm|share|check|verify|specify|tell|give|send|enter|choose|select|clarify|try"
    r"|let me know)\b"
    r"|\b(?:could|can|would|will) you\b|\blet me know (?:if|which|what|whether|how|when|the)\b",
    re.IGNORECASE,
)
LANGUAGES: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "der die das und nicht ist wurde wird ihre ihr sie ich wir eine einen einem für mit auf haben konnte leider",
        "le la les est et une des votre vous nous je pas pour avec dans été sont mais n'a désolé malheureusement",
        "el los las es una su usted ha sido por para con pero está lo siento se ya del",
        "il lo gli è una del della suo sono stato stata per con che ma purtroppo",
        "o os as um uma seu sua foi por para com não mas você está",
        "de het een is van uw niet en met voor zijn werd maar helaas",
    )
)
"""Frequent words of other languages. More of one of them than of `ENGLISH`, and a text is not read as English."""
ENGLISH = frozenset(
    "the a an and is are was were has have had been be i you your we our it its this that of to for in on at with by "
    "from as will can all done now here there my me done order".split()
)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
FOREIGN = re.compile(r"[^\x00-\u024f\u2000-\u2bff\ufe0f\U0001f000-\U0001ffff]")
"""Letters of scripts that English is not written in."""
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
MUCH = 4_000
"""Characters of a text that are looked at: its end."""


def is_english(text: str) -> bool:
    """Whether a text can be read as English."""
    if FOREIGN.search(text):
        return False
    words = [word.lower() for word in WORD.findall(text[-MUCH:])]
    own = sum(word in ENGLISH for word in words)
    return 2 * own >= len(words) or all(sum(word in other for word in words) <= own for other in LANGUAGES)


def may_admit(text: str) -> bool:
    """Whether a text may own up to a failure, or turns to the user: only one that surely does neither is told off."""
    return _may_admit(text[-MUCH:])


@lru_cache(2048)
def _may_admit(text: str) -> bool:
    if not is_english(text):
        return True
    left = STOCK.sub(" ", text)
    if left.lstrip()[:1] in ("{", "[") and NOTHING_IN_JSON.search(left):
        return True
    return bool(ADMISSION.search(left)) or asks(text)


def asks(text: str) -> bool:
    """Whether a text asks the user for something, beyond the usual offer of more help."""
    left = STOCK.sub(" ", text[-MUCH:])
    return "?" in left or bool(REQUEST.search(left))


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text."""
    return [part.strip() for part in SENTENCE.split(text[-MUCH:]) if part.strip()]
