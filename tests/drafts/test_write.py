"""A draft as text: what it says is what is read again, and it is good to read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.documents import parse
from squall.drafts import world_text, write
from squall.drafts.draft import CustomDraft, Draft, FieldDraft, OperationDraft, RecordDraft
from squall.errors import UsageError
from squall.worlds import World

PETS = """\
# A draft of pets. It loads as it stands; complete it where your tests need more:
# - seed: how many rows each record starts with (5), and the rows that your tests name
# - types: ranges, enums and references that the original does not tell
# - get, update and delete take the argument id, whatever the original calls it
# - operations that are commented out (1): write their handlers in rules.py, then take the '#' away
name: pets

services:
  shop:
    records:
      # all that is known
      pet: { id: str, kind: enum[cat, dog] }
      owner:
        id: str
        mail: str(email)?  # 'e-mail' in the original
    seed: { count: 5 }
    operations:
      # get_pet: slow
      get_pet: { kind: get, record: pet, description: "Get a pet: any." }
      # POST /feed: def feed(world, clock)
      # feed: { kind: custom, handler: rules.feed }
"""


@pytest.fixture
def pets():
    draft = Draft("pets", "pets")
    shop = draft.service("shop")
    fields = {"id": FieldDraft("str"), "kind": FieldDraft("enum[cat, dog]")}
    shop.records["pet"] = RecordDraft("shop", "pet", fields, notes=["all that is known"])
    mail = FieldDraft("str(email)?", ("'e-mail' in the original",))
    shop.records["owner"] = RecordDraft("shop", "owner", {"id": FieldDraft("str"), "mail": mail})
    shop.operations["get_pet"] = OperationDraft("get", "pet", description="Get a pet: any.", notes=("slow",))
    shop.customs["feed"] = CustomDraft("POST /feed", ())
    return draft


def test_a_draft_reads_well(pets):
    assert world_text(pets) == PETS


def test_what_is_long_is_a_block(pets):
    record = pets.records[0]
    record.fields |= {f"field_{n}": FieldDraft("int[1..9]?") for n in range(9)}
    record.fields["nested"] = FieldDraft([{f"inner_{n}": "str(email)?" for n in range(9)}])
    lines = world_text(pets).splitlines()
    assert "        field_8: int[1..9]?" in lines
    assert lines[lines.index("        nested:") + 1] == "          - inner_0: str(email)?"
    assert max(map(len, lines)) <= write.WIDTH


def test_comments_hold_no_line_of_the_original(pets):
    pets.records[0].notes.append("one\nname: two\u2028three\x00")
    assert "      # one name: two three\n" in world_text(pets)


def test_a_draft_that_no_world_file_may_be_is_refused(pets, monkeypatch):
    monkeypatch.setattr(write, "MAX_SIZE", 100)
    with pytest.raises(UsageError, match="the draft would be larger than"):
        world_text(pets)


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).filter(
    lambda text: text != "<<"
) | st.sampled_from(
    [
        "null",
        "True",
        "~",
        "- a",
        "a: b",
        "a #b",
        "#",
        "{",
        "[a",
        "1",
        "1.5",
        "0x1",
        "a,b",
        "enum[a, b]",
        "'",
        '"',
        "a\n",
        "int[1..2]?",
        "x[y",
    ]
)
values = st.recursive(
    words | st.booleans() | st.integers(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_every_value_is_read_as_it_was_meant(value):
    text = f"x: {write.flow(value)}"
    assert parse(text, format="yaml", name="x").data == {"x": value}


@given(st.dictionaries(words, values, min_size=1, max_size=4))
def test_every_block_is_read_as_it_was_meant(value):
    lines = write._entry("x", {**value, "long": "a" * write.WIDTH}, 2)
    assert parse("\n".join(lines), format="yaml", name="x").data == {"x": {**value, "long": "a" * write.WIDTH}}


def test_it_loads(pets):
    assert set(World.parse(parse(world_text(pets), format="yaml", name="x")).operations) == {"get_pet"}
