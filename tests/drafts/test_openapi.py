"""A world from an OpenAPI document: its records, its operations, and that it works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from squall.call import Refused
from squall.documents import parse
from squall.drafts import from_openapi, handlers_text, load_openapi, world_text
from squall.errors import UsageError
from squall.worlds import World

OPENAI = Path(__file__).parents[3] / "shared/specs/openai.yml"


def uncommented(text):
    """The draft with its custom operations no longer in comments."""
    lines = []
    for line in text.splitlines():
        taken = re.sub(
            r"^( +)# (operations:$|\w+: \{ kind: custom|\w+:$|  (?:kind|handler|access|description): )", r"\1\2", line
        )
        lines.append(taken)
    return "\n".join(lines) + "\n"


def test_the_operations_of_the_crud_paths_work(drafted):
    world = drafted("petshop.yaml").world
    made = world.call("add_pet", {"name": "Rex", "ownerId": 2})
    assert made["id"] == 6
    assert world.call("update_pet", {"id": 6, "status": "sold"})["status"] == "sold"
    assert world.call("get_pet", {"id": 6})["ownerId"] == 2
    assert 6 in [row["id"] for row in world.call("list_pets", {"status": "sold", "ownerId": 2})]
    assert world.call("remove_pet", {"id": 6})["name"] == "Rex"
    with pytest.raises(Refused, match="not found"):
        world.call("get_pet", {"id": 6})


def test_what_the_document_demands_is_demanded(drafted):
    world = drafted("petshop.yaml").world
    with pytest.raises(Refused, match="missing argument 'name'"):
        world.call("add_pet", {"ownerId": 1})
    with pytest.raises(Refused, match="there is no owner with id 99"):
        world.call("add_pet", {"name": "Rex", "ownerId": 99})
    with pytest.raises(Refused, match="available, sold"):
        world.call("add_pet", {"name": "Rex", "ownerId": 1, "status": "stolen"})


def test_every_type_of_the_pet_shop(drafted):
    shop = drafted("petshop.yaml")
    pet = {name: drafted.declared for name, drafted in shop.draft.services["pets"].records["pet"].fields.items()}
    assert pet == {
        "id": "int",
        "name": "str",
        "ownerId": "ref[pets.owner]",
        "status": "enum[available, sold]?",
        "weight": "float[0..90.5]?",
        "age": "int[1..30]?",
        "born_on": "date?",
        "price": "decimal?",
        "photos": "list[str(url)]?",
        "category": {"id": "int?", "label": "str", "parent": "str?"},
        "extra": "str?",
        "createdAt": "datetime",
        "mother": "ref[pets.pet]?",
        "insurance": {"company": "str?", "until": "date?"},
    }


def test_what_the_types_do_not_say_stands_in_comments(drafted):
    shop = drafted("petshop.yaml")
    assert "born_on: date?  # 'born-on' in the original" in shop.text
    assert "mother: ref[pets.pet]?  # the whole pet in the original" in shop.text
    assert "# parent: holds itself in the original" in shop.text
    assert "# the first of 3 alternatives in the original" in shop.text
    assert "# list_pets: the original also takes tags, limit" in shop.text
    assert "# add_pet: the original also takes chip" in shop.text


def test_tags_are_services_and_a_schema_without_path_that_a_field_names_is_a_record(drafted):
    services = drafted("petshop.yaml").draft.services
    assert list(services) == ["pets", "warehouse"]
    assert list(services["pets"].records) == ["pet", "owner"]  # Category has an id as well, and is nested


def test_other_paths_are_left_in_comments_with_the_signature_of_their_handler(drafted):
    shop = drafted("petshop.yaml")
    assert list(shop.draft.customs) == ["vaccinate_pet", "get_stock"]
    text = " ".join(shop.text.replace("#", " ").split())
    assert (
        'POST /api/v1/pets/{petId}/vaccinate: def vaccinate_pet(world, clock, pet_id: int, vaccine: Literal["rabies", '
        '"flu"], on: date | None = None, from_: str | None = None, doses: list[int] | None = None)' in text
    )


@pytest.mark.parametrize("name", ["petshop.yaml", "library.json"])
def test_with_the_comments_taken_away_and_the_stubs_beside_it_the_world_has_every_operation(drafted, tmp_path, name):
    shop = drafted(name)
    path = tmp_path / "world.yaml"
    path.write_text(uncommented(shop.text), encoding="utf-8")
    (tmp_path / "rules.py").write_text(handlers_text(shop.draft), encoding="utf-8")
    world = World.load(path)
    assert set(world.operations) == {*shop.draft.operations, *shop.draft.customs}
    custom = next(iter(shop.draft.customs))
    required = [argument.name for argument in shop.draft.customs[custom].arguments if argument.required]
    assert [param.name for param in world.operations[custom].params if param.required] == required


def test_a_handler_is_given_types_and_a_read_says_so(drafted, tmp_path):
    shop = drafted("petshop.yaml")
    (tmp_path / "world.yaml").write_text(uncommented(shop.text), encoding="utf-8")
    (tmp_path / "rules.py").write_text(handlers_text(shop.draft), encoding="utf-8")
    operations = World.load(tmp_path / "world.yaml").operations
    schemas = {param.name: param.schema for param in operations["vaccinate_pet"].params}
    assert schemas["pet_id"]["type"] == "integer"
    assert schemas["vaccine"]["enum"] == ["rabies", "flu"]
    assert [operations[name].access for name in ("vaccinate_pet", "get_stock")] == ["write", "read"]


def test_swagger_2_has_its_ids_by_path_and_its_lists_below_a_row(drafted):
    library = drafted("library.json")
    assert library.field("book", "id") == ("str", "'isbn' in the original")
    assert library.field("book", "title") == ("str?",)
    assert library.field("book", "language") == ("str?", "one of en, de, pt, Brazil")
    assert library.field("book", "format") == ("int[1..5]?", "one of 1, 2, 5")
    assert library.field("loan", "book") == ("ref[books.book]?", "the whole book in the original")
    assert library.draft.operations["list_loans"].filter == ("isbn",)
    assert library.draft.operations["lend"].kind == "create"
    assert list(library.draft.customs) == ["post_login"]


def test_openapi_3_1_says_null_in_many_ways(drafted):
    clinic = drafted("clinic.yaml")
    said = {
        "phone": ("str(phone)?",),
        "mail": ("str(email)?",),
        "blood": ("enum[A, B, AB, 0]?",),
        "weight": ("float[>0..]",),
        "notes": ("list[str]?",),
        "either": ("str", "integer or string in the original"),
        "kind": ("enum[patient]?",),
        "address": ({"city": "str", "zip": "str?"}, "may be null in the original"),
    }
    assert {name: clinic.field("patient", name) for name in said} == said
    assert [row["id"] for row in clinic.world.call("list_patients", {})] == ["1", "2", "3", "4", "5"]


def test_a_reference_is_one_where_the_fields_name_says_so(drafted):
    clinic = drafted("clinic.yaml")
    assert clinic.field("visit", "patient")[0] == "ref[patients.patient]"
    assert clinic.field("visit", "patient_id")[0] == "ref[patients.patient]?"
    assert clinic.field("visit", "previous_visits")[0] == "list[ref[visits.visit]]?"
    assert clinic.field("visit", "companions")[0][0]["name"] == "str"  # the name says nothing of patients


def test_a_document_without_paths_gives_records_alone(document):
    schemas = "{ Order: { properties: { id: {}, n: { type: integer } } }, Page: { properties: { x: {} } } }"
    draft = from_openapi(document(f"openapi: 3.0.0\ninfo: {{ title: Orders }}\ncomponents: {{ schemas: {schemas} }}"))
    assert [record.full for record in draft.records] == ["orders.order"]
    assert draft.operations == {}


def test_a_document_with_nothing_in_it_is_an_empty_world(document):
    assert "services: {}" in world_text(from_openapi(document("openapi: 3.0.0")))


def test_plain_names_go_to_what_stands_nearest_to_the_root(document):
    def path(where, schema):
        answer = f"content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/{schema}' }} }} }}"
        return f"  {where}: {{ get: {{ responses: {{ '200': {{ {answer} }} }} }} }}\n"

    text = "openapi: 3.0.0\npaths:\n" + path("/boxes/{b}/files/{f}", "BoxFile") + path("/files/{f}", "StoredFile")
    text += "components:\n  schemas:\n"
    text += "".join(
        f"    {name}: {{ properties: {{ id: {{ type: string }} }} }}\n" for name in ("BoxFile", "StoredFile")
    )
    records = from_openapi(document(text)).records
    assert [record.full for record in records] == ["files.file", "boxes.box_file"]


def test_two_operations_of_one_name_are_told_apart(document):
    one = "{ post: { operationId: go, responses: {} } }"
    draft = from_openapi(document(f"openapi: 3.0.0\npaths: {{ /a: {one}, /b: {one}, /c: {one} }}"))
    assert list(draft.customs) == ["go", "go_2", "go_3"]


def test_the_name_is_the_title_or_what_is_asked_for(drafted):
    assert drafted("petshop.yaml").draft.name == "pet_shop"
    assert drafted("petshop.yaml", name="corner_shop").world.name == "corner_shop"


def test_the_same_document_gives_the_same_bytes(drafted):
    assert drafted("petshop.yaml").text == drafted("petshop.yaml").text


def test_a_reference_to_nothing_is_told_with_its_place_and_what_is_near(document):
    text = (
        "openapi: 3.0.0\npaths:\n  /pets:\n    get:\n      responses:\n        '200':\n          content:\n"
        "            application/json:\n              schema:\n                $ref: '#/components/schemas/Pett'\n"
        "components: { schemas: { Pet: { type: object } } }\n"
    )
    with pytest.raises(UsageError) as caught:
        from_openapi(document(text))
    assert str(caught.value) == (
        "api.yaml:10:23: '#/components/schemas/Pett' refers to nothing: there is no 'Pett'; did you mean 'Pet'?"
    )


@pytest.mark.skipif(not OPENAI.is_file(), reason="the published document is not beside this project")
def test_a_large_published_document_gives_a_world_that_works():
    draft = from_openapi(load_openapi(OPENAI))
    assert len(draft.records) > 50
    assert len(draft.operations) > 200
    world = World.parse(parse(world_text(draft), format="yaml", name="draft.yaml"))
    assert set(world.operations) == set(draft.operations)
    for name, operation in world.operations.items():
        if operation.kind == "list":
            assert len(world.call(name, {})) == 5
        elif operation.kind == "get":
            assert world.call(name, {"id": "5"})["id"] == "5"
    assert "assistant" in [record.name for record in draft.records]
