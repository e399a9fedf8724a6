"""Contents of messages: a string, or parts of kinds that depend on who speaks. Only texts are kept of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from squall.wire.openai import fields, refusals

Read = Callable[[Mapping[str, Any], str], str | None]
"""Checks a part and gives its text, if it has one."""

AUDIO = ("wav", "mp3")
DETAILS = ("auto", "low", "high", "original")


def read(content: Any, param: str, kinds: Mapping[str, Read]) -> tuple[str, int]:
    """The text of a content, and how many parts it has: one if it is a string, none if it is null."""
    if isinstance(content, str):
        return content, 1
    if content is None:
        return "", 0
    if not isinstance(content, list):
        raise refusals.wrong_type(param, "a string or an array of parts", content)
    texts = []
    for place, part in enumerate(content):
        where = f"{param}[{place}]"
        fields.mapping(part, where)
        kind = fields.required_string(part, "type", f"{where}.type")
        reader = kinds.get(kind)
        if reader is None:
            raise refusals.not_one_of(f"{where}.type", kind, kinds)
        text = reader(part, where)
        if text is not None:
            texts.append(text)
    return "\n".join(texts), len(content)


def text(part: Mapping[str, Any], where: str) -> str:
    """A part of text, whatever it is called."""
    return fields.required_string(part, "text", f"{where}.text")


def refusal(part: Mapping[str, Any], where: str) -> str:
    """What an assistant would not say."""
    return fields.required_string(part, "refusal", f"{where}.refusal")


def _image_url(part: Mapping[str, Any], where: str) -> None:
    image = fields.required_mapping(part, "image_url", f"{where}.image_url")
    fields.required_string(image, "url", f"{where}.image_url.url")
    if image.get("detail") is not None:
        fields.one_of(*DETAILS)(image["detail"], f"{where}.image_url.detail")


def _input_audio(part: Mapping[str, Any], where: str) -> None:
    audio = fields.required_mapping(part, "input_audio", f"{where}.input_audio")
    fields.required_string(audio, "data", f"{where}.input_audio.data")
    form = fields.required_string(audio, "format", f"{where}.input_audio.format")
    fields.one_of(*AUDIO)(form, f"{where}.input_audio.format")


def _file(part: Mapping[str, Any], where: str) -> None:
    fields.required_mapping(part, "file", f"{where}.file")


TEXT: Mapping[str, Read] = {"text": text}
SPOKEN_TO: Mapping[str, Read] = {"text": text, "image_url": _image_url, "input_audio": _input_audio, "file": _file}
SAID: Mapping[str, Read] = {"text": text, "refusal": refusal}
