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
