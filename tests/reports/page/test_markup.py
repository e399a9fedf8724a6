from __future__ import annotations

from squall.reports.page.markup import Markup, name, tag, text


def test_texts_are_escaped_and_markup_is_not():
    inner = tag("b", "a < b & 'c' \"d\"")
    assert inner == "<b>a &lt; b &amp; &#x27;c&#x27; &quot;d&quot;</b>"
    assert tag("p", inner, " and ", [inner, "<i>"]) == f"<p>{inner} and {inner}&lt;i&gt;</p>"


def test_what_was_put_together_by_hand_is_text_again():
    assert tag("p", f"{tag('b', 'x')}") == "<p>&lt;b&gt;x&lt;/b&gt;</p>"
    assert isinstance(tag("p"), Markup)


def test_attributes_are_escaped_named_and_left_out():
    made = tag("td", class_='a" onclick="x', aria_label="<", hidden=True, id=None, title=False, tabindex="0", x=1.50)
    assert made == '<td class="a&quot; onclick=&quot;x" aria-label="&lt;" hidden tabindex="0" x="1.5"></td>'


def test_void_and_drawn_elements_have_no_end():
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'
    assert tag("circle", r=2) == '<circle r="2"/>'
    assert tag("svg", viewBox="0 0 1 1") == '<svg viewBox="0 0 1 1"></svg>'


def test_nothing_in_a_text_is_invisible_or_endless():
    assert text("a\u202e\x00\ud800") == "a\\u202e\\x00\\ud800"
    assert len(text("<" * 1_000_000)) < 20_000


def test_a_name_keeps_its_direction_to_itself_and_breaks_after_its_words():
    assert name("stale_memory-2") == "<bdi>stale_<wbr>memory-<wbr>2</bdi>"
    assert name("<b>_x") == "<bdi>&lt;b&gt;_<wbr>x</bdi>"
    assert name("a" * 100, 5) == "<bdi>aaaaa … (100 characters)</bdi>"
