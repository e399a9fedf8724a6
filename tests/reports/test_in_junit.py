from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

import pytest

from squall.reports.in_junit import held, seconds, whole


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x0b", "\ud800", "\ufffe", "\uffff"])
def test_what_xml_cannot_hold_is_replaced(character):
    suites = Element("testsuites", name=held(f"a{character}b"))
    assert fromstring(whole(suites)).get("name") == "a\ufffdb"  # noqa: S314 - our own


def test_other_characters_stay_as_they_are():
    suites = Element("testsuites")
    suites.text = held("<&>'\"\t\U0001f327")
    assert fromstring(whole(suites)).text == "<&>'\"\t\U0001f327"  # noqa: S314 - our own


def test_seconds_have_three_digits():
    assert seconds(1.23456) == "1.235"
