from __future__ import annotations

import pytest

from squall.documents import parse
from squall.worlds import WorldSpec


def test_the_schema_describes_every_key():
    schema = WorldSpec.model_json_schema()
    models = [schema, *schema["$defs"].values()]
    missing = [
        (model["title"], name)
        for model in models
        for name, part in model.get("properties", {}).items()
        if not part.get("description")
    ]
    assert missing == []
    assert schema["additionalProperties"] is False


def test_the_schema_takes_a_world_and_refuses_a_broken_one(shop_text):
    jsonschema = pytest.importorskip("jsonschema")
    data = parse(shop_text, format="yaml", name="w.yaml").data
    jsonschema.validate(data, WorldSpec.model_json_schema())
    broken = {**data, "services": {**data["services"], "x": {"seed": {"order": "many"}}}}
    assert not jsonschema.Draft202012Validator(WorldSpec.model_json_schema()).is_valid(broken)


DEEP = """
services:
  orders:
    auth: { token: tok, expires: 1h, refresh: renew, argument: access_token }
    listens: { placed: rules.placed }
    records:
      order:
        fields: { id: str, status: "enum[placed, shipped]", version: int }
        transitions: { status: { placed: [shipped] } }
        version: version
        emits: { status: { shipped: shipped } }
      line: { order: "ref[orders.order]" }
    seed: { order: { from: orders.csv, count: 5 } }
    operations:
      list: { kind: list, record: order, filter: [status.in], sort: [-status], page_size: 5, lag: 2s, include: [lines] }
      add: { kind: create, record: order, idempotency_key: { field: key, expires: 24h }, emits: placed }
      set: { kind: create, record: order, idempotency_key: key }
  customers: { records: { customer: { name: str } }, seed: { from: customers.json } }
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("page_size: 5", "page_size: 0"),
        ("[-status]", "-status"),
        ("lag: 2s", "lag: [2]"),
        ("field: key, expires", "field: key, expire"),
        ("token: tok,", ""),
        ("rules.placed", "[rules.placed]"),
        ("{ from: orders.csv, count: 5 }", "{ file: orders.csv }"),
        ("seed: { from: customers.json }", "seed: { from: -5 }"),
        ("version: version", "version: 5"),
    ],
)
def test_the_schema_follows_what_services_can_do(old, new):
    jsonschema = pytest.importorskip("jsonschema")
    valid = jsonschema.Draft202012Validator(WorldSpec.model_json_schema()).is_valid
    assert valid(parse(DEEP, format="yaml", name="w.yaml").data)
    broken = DEEP.replace(old, new)
    assert broken != DEEP
    assert not valid(parse(broken, format="yaml", name="w.yaml").data)
