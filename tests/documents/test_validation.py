"""What pydantic finds wrong, worded for people: all of it, once, in file order."""

from __future__ import annotations

import enum
from typing import Annotated, Literal

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)

from squall.documents import Invalid, parse, problems_of, validate
from squall.documents.routes import names_in
from squall.errors import Problem, UsageError

WHOLE = "\n    Write a whole number, 3 for example."
MAPPING = "\n    Write a mapping, { key: value } for example."
ODD_KEY = "the key 'A1' is not valid: string should match pattern '^[a-z]+$'\n    Write text that matches ^[a-z]+$"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Get(Strict):
    kind: Literal["get"]
    record: str


class Custom(Strict):
    kind: Literal["custom"]
    handler: str


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Service(Strict):
    records: dict[str, dict[str, str | dict[str, str]]] = {}
    operations: dict[str, Annotated[Get | Custom, Field(discriminator="kind")]] = {}
    count: int = Field(0, ge=0)
    colour: Colour = Colour.RED
    mode: Literal["fast", "slow"] | None = None
    latency: int | list[int] | None = None
    either: Get | Custom | None = None
    chance: float | Literal["never"] = 1.0
    pair: tuple[int, str] = (1, "a")

    @field_validator("records")
    @classmethod
    def known(cls, records):
        if "bad" in records:
            message = "the record 'bad' has no fields"
            raise ValueError(message)
        if "odd" in records:
            message = "unknown type 'enm'"
            raise Invalid(message, loc=("odd", "a"), nearest="enum", hint="Types: str, enum.")
        return records


class World(Strict):
    seed: int
    services: dict[str, Service]
    tags: list[str] = []
    name: str = "world"


def problems(text: str, model=World, loc=(), kind="yaml") -> list[str]:
    with pytest.raises(UsageError) as caught:
        validate(model, parse(text, format=kind, name="w"), loc=loc)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return [str(problem) for problem in caught.value.problems]


def service(text: str) -> list[str]:
    return problems(f"seed: 1\nservices:\n  s: {{ {text} }}")


def test_a_document_without_mistakes_becomes_the_model():
    world = validate(
        World, parse("seed: 1\nservices: {s: {operations: {a: {kind: get, record: r}}}}", format="yaml", name="w")
    )
    assert isinstance(world.services["s"].operations["a"], Get)


def test_all_problems_come_at_once_in_file_order():
    assert problems(
        "name: 5\nseed: abc\nservices:\n  s:\n    recods: {}\n    count: -1\n  t: [a]\ntags: [a, 1, [b]]\nzzz: 1\n"
    ) == [
        "w:1:7: 'name' must be text, not 5\n    Put it in quotes.",
        "w:2:7: 'seed' must be a whole number, not 'abc'" + WHOLE,
        (
            "w:5:5: unknown key 'recods'; did you mean 'records'?\n"
            "    Valid keys here: records, operations, count, colour, mode, latency, either, chance, pair."
        ),
        "w:6:12: 'count' must be greater than or equal to 0, not -1\n    Write 0 or more.",
        "w:7:6: 't' must be a mapping, not ['a']" + MAPPING,
        "w:8:11: item 2 of 'tags' must be text, not 1\n    Put it in quotes.",
        "w:8:14: item 3 of 'tags' must be text, not ['b']\n    Write text, \"text\" for example.",
        "w:9:1: unknown key 'zzz'\n    Valid keys here: seed, services, tags, name.",
    ]


def test_a_missing_key_is_told_where_it_belongs():
    assert problems("seed: 1") == ["w:1:1: missing key 'services'\n    Add it."]
    assert service("operations: { a: { kind: get } }") == ["w:3:22: missing key 'record' in 'a'\n    Add it."]


def test_a_misspelled_key_is_not_reported_as_missing_too():
    assert problems("sed: 1\nservices: {}") == [
        "w:1:1: unknown key 'sed'; did you mean 'seed'?\n    Valid keys here: seed, services, tags, name."
    ]


def test_a_literal_and_an_enum_give_the_valid_values_and_the_nearest():
    assert service("mode: fsat") == [
        "w:3:14: 'mode' cannot be 'fsat'; did you mean 'fast'?\n    Valid values: fast, slow."
    ]
    assert service("colour: green") == ["w:3:16: 'colour' cannot be 'green'\n    Valid values: red, blue."]


def test_a_discriminated_union_gives_the_valid_kinds():
    assert service("operations: { a: { kind: gte } }") == [
        "w:3:33: 'kind' cannot be 'gte'; did you mean 'get'?\n    Valid values: get, custom."
    ]
    assert service("operations: { a: { record: x } }") == [
        "w:3:22: missing key 'kind' in 'a'\n    Valid values: get, custom."
    ]
    assert service("operations: { a: { kind: get, record: x, handler: y } }") == [
        "w:3:49: unknown key 'handler'\n    Valid keys here: kind, record."
    ]
    assert service("operations: { a: 5 }") == ["w:3:25: 'a' must be a mapping, not 5" + MAPPING]


def test_a_plain_union_reports_the_branch_that_was_meant():
    assert service("either: { kind: custom, handlr: h }") == [
        "w:3:32: unknown key 'handlr'; did you mean 'handler'?\n    Valid keys here: kind, handler."
    ]
    assert service("latency: [1, x]") == ["w:3:21: item 2 of 'latency' must be a whole number, not 'x'" + WHOLE]
    assert service("records: { r: { a: { b: 1 } } }") == ["w:3:32: 'b' must be text, not 1\n    Put it in quotes."]


def test_a_value_that_fits_no_branch_is_one_problem():
    assert service("latency: { a: 1 }") == [
        (
            "w:3:17: 'latency' must be a whole number or a list, not {'a': 1}\n"
            "    Write a whole number (3) or a list ([a, b])."
        )
    ]
    assert service("chance: nevr") == [
        "w:3:16: 'chance' must be a number or one of never, not 'nevr'; did you mean 'never'?\n    Valid values: never."
    ]


def test_a_tuple_is_told_item_by_item():
    assert service("pair: [x, 1]") == [
        "w:3:15: item 1 of 'pair' must be a whole number, not 'x'" + WHOLE,
        "w:3:18: item 2 of 'pair' must be text, not 1\n    Put it in quotes.",
    ]


def test_a_validators_own_words_are_kept():
    assert service("records: { bad: {} }") == ["w:3:17: the record 'bad' has no fields"]


def test_a_validator_can_say_where_and_what_to_do():
    assert service("records: { odd: { a: 'enm[x]' } }") == [
        "w:3:29: unknown type 'enm'; did you mean 'enum'?\n    Types: str, enum."
    ]


def test_a_part_of_a_document_is_validated_in_its_place():
    text = "world:\n  seed: x\n  sed: 1\n"
    assert problems(text, loc=("world",)) == [
        "w:1:1: missing key 'services'\n    Add it.",
        "w:2:9: 'seed' must be a whole number, not 'x'" + WHOLE,
        "w:3:3: unknown key 'sed'; did you mean 'seed'?\n    Valid keys here: seed, services, tags, name.",
    ]
    assert problems("world: 3", loc=("world",)) == ["w:1:8: 'world' must be a mapping, not 3" + MAPPING]


def test_toml_and_json_documents_are_told_in_the_same_words():
    assert problems("seed = 'x'\n[services.s]\ncoun = 1\n", kind="toml")[1].startswith(
        "w:3:1: unknown key 'coun'; did you mean 'count'?"
    )
    assert problems('{"seed": "x",\n "services": {}}', kind="json") == [
        "w:1:10: 'seed' must be a whole number, not 'x'" + WHOLE
    ]


def test_a_whole_document_of_the_wrong_kind_is_told():
    assert problems("[a]") == ["w:1:1: the document must be a mapping, not ['a']" + MAPPING]


class Names(RootModel[dict[Annotated[str, Field(pattern="^[a-z]+$")], Annotated[int, Field(ge=5)]]]):
    pass


def test_a_key_that_is_not_valid_is_told_at_the_key():
    assert problems("A1: 7\nb: 1", Names) == [
        f"w:1:1: {ODD_KEY}",
        "w:2:4: 'b' must be greater than or equal to 5, not 1\n    Write 5 or more.",
    ]


def tag_of(value) -> str:
    return "one" if isinstance(value, dict) and "record" in value else "other"


class Tagged(Strict):
    value: Annotated[Annotated[Get, Tag("one")] | Annotated[Custom, Tag("other")], Discriminator(tag_of)]
    alias: int = Field(1, alias="spelled-so")

    @model_validator(mode="after")
    def refuse(self):
        message = "nothing pleases this model"
        raise Invalid(message, loc=("value", "kind"), key=True)


def test_a_union_with_a_callable_discriminator_follows_its_tags():
    assert problems("value: {kind: get, record: x, recrod: 1}", Tagged) == [
        "w:1:31: unknown key 'recrod'; did you mean 'record'?\n    Valid keys here: kind, record."
    ]


def test_a_models_own_validator_can_point_at_a_key_below():
    assert problems("value: {kind: get, record: x}", Tagged) == ["w:1:9: nothing pleases this model"]


def test_an_alias_is_the_name_that_people_see():
    assert names_in(Tagged) == ["value", "spelled-so"]
    assert problems("value: {kind: get, record: x}\nspelled-s: 2\nspelled-so: x", Tagged) == [
        "w:2:1: unknown key 'spelled-s'; did you mean 'spelled-so'?\n    Valid keys here: value, spelled-so.",
        "w:3:13: 'spelled-so' must be a whole number, not 'x'" + WHOLE,
    ]


class Closed(Strict):
    pass


def test_a_model_without_fields_says_that_no_keys_are_valid():
    assert problems("a: 1", Closed) == ["w:1:1: unknown key 'a'\n    No keys are valid here."]


def test_problems_of_gives_the_problems_of_an_error_that_was_caught():
    document = parse("seed: x\nservices: {}", format="yaml", name="w")
    with pytest.raises(ValidationError) as caught:
        World.model_validate(document.data)
    found = problems_of(caught.value, World, document)
    assert found == [Problem("'seed' must be a whole number, not 'x'", document.at(("seed",)), hint=WHOLE.strip())]


class Asserting(Strict):
    n: int | None = None
    s: str = Field("", max_length=3)
    d: list[Annotated[str, Field(min_length=1)]] = Field([], min_length=1)

    @field_validator("n")
    @classmethod
    def positive(cls, _n):
        message = "n is above zero"
        raise AssertionError(message)


def test_other_rules_keep_pydantics_words():
    assert problems("n: 0\ns: abcd\nd: []", Asserting) == [
        "w:1:4: n is above zero",
        "w:2:4: 's' cannot be 'abcd': string should have at most 3 characters\n    Write at most 3 characters.",
        "w:3:4: 'd' cannot be []: list should have at least 1 item after validation, not 0\n    Write at least 1.",
    ]
