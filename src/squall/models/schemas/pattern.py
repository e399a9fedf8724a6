"""A text that a regular expression finds: literals, classes, groups, alternatives and repetitions.

What looks around itself, or back, is left out: whoever asks checks what comes. Knows no schema.
"""

from __future__ import annotations

import re
import string

ORDER = string.ascii_lowercase + string.digits + string.ascii_uppercase + "_-. " + string.punctuation + "\t\n"
"""Which characters are taken first, where several would do."""
CLASSES = {"d": string.digits, "w": string.ascii_letters + string.digits + "_", "s": " \t\n"}
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
NOTHING = "bBAZzG"
COUNTS = re.compile(r"\{(\d+)(,(\d*))?\}")
CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}")
PROPERTY = re.compile(r"[pP]\{[^}]*\}")
GROUP = re.compile(r"\?(:|P?<[A-Za-z_]\w*>)")
MOST = 10_000  # repetitions
LONGEST = 100_000  # characters


def text_for(pattern: str, *, more: int = 0, variant: int = 0) -> str:
    """A text for a pattern, with so many repetitions more than are needed; other variants are other texts.

    Raises `ValueError` for a pattern that is none.
    """
    return _Reader(pattern, more, variant).whole()


class _Reader:
    def __init__(self, pattern: str, more: int, variant: int) -> None:
        self._pattern, self._more, self._variant = pattern, more, variant
        self._at = 0

    def whole(self) -> str:
        try:
            text = self._alternatives()
        except (IndexError, OverflowError):
            raise ValueError(f"the pattern {self._pattern!r} ends too early") from None
        if self._at < len(self._pattern):
            raise ValueError(f"the pattern {self._pattern!r} has a parenthesis too many")
        return text

    def _alternatives(self) -> str:
        found = [self._sequence()]
        while self._next("|"):
            found.append(self._sequence())
        return found[self._variant % len(found)]

    def _sequence(self) -> str:
        text = ""
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            atom, times = self._atom(), self._times()
            if len(text) + len(atom) * times > LONGEST:
                raise ValueError(f"the pattern {self._pattern!r} asks for more than {LONGEST} characters")
            text += atom * times
        return text

    def _atom(self) -> str:
        sign = self._pattern[self._at]
        self._at += 1
        if sign in "^$":
            return ""
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._picked(self._class())
        if sign == "\\":
            return self._picked(self._escaped())
        return self._picked(ORDER) if sign == "." else sign

    def _group(self) -> str:
        seen = True
        opening = GROUP.match(self._pattern, self._at)
        if opening:
            self._at = opening.end()
        elif self._next("?"):  # looks around: nothing of it is in the text
            seen = False
            self._at += 2 if self._pattern[self._at] == "<" else 1
        text = self._alternatives()
        if not self._next(")"):
            raise IndexError
        return text if seen else ""

    def _times(self) -> int:
        least, most = 1, 1
        if self._next("*"):
            least, most = 0, MOST
        elif self._next("+"):
            most = MOST
        elif self._next("?"):
            least = 0
        elif counts := COUNTS.match(self._pattern, self._at):
            self._at = counts.end()
            least = int(counts[1])
            most = int(counts[3]) if counts[3] else MOST if counts[2] else least
        else:
            return 1
        self._next("?")  # a lazy one
        return min(most, least + self._more, MOST)

    def _class(self) -> str:
        """The characters that are meant by those in brackets."""
        negated = self._next("^")
        found = ""
        first = True
        while first or self._pattern[self._at] != "]":
            first = False
            sign = self._sign()
            if len(sign) == 1 and self._pattern[self._at] == "-" and self._pattern[self._at + 1] != "]":
                self._at += 1
                sign = "".join(map(chr, range(ord(sign), ord(self._sign()) + 1)))
            found += sign
        self._at += 1
        return _others(found) if negated else found

    def _sign(self) -> str:
        """One sign between brackets, which may stand for several characters."""
        sign = self._pattern[self._at]
        self._at += 1
        return self._escaped() if sign == "\\" else sign

    def _escaped(self) -> str:
        """The characters that an escape stands for."""
        if code := CODE.match(self._pattern, self._at):
            self._at = code.end()
            return chr(int(code[1] or code[2] or code[3], 16))
        if named := PROPERTY.match(self._pattern, self._at):
            self._at = named.end()
            return string.ascii_letters
        sign = self._pattern[self._at]
        self._at += 1
        if sign.lower() in CLASSES:
            signs = CLASSES[sign.lower()]
            return _others(signs) if sign.isupper() else signs
        return "" if sign in NOTHING else CONTROLS.get(sign, sign)

    def _picked(self, signs: str) -> str:
        choices = [one for one in ORDER if one in signs] or signs
        return choices[self._variant % len(choices)] if choices else ""

    def _next(self, sign: str) -> bool:
        found = self._pattern.startswith(sign, self._at)
        self._at += found
        return found


def _others(signs: str) -> str:
    return "".join(one for one in ORDER if one not in signs)
