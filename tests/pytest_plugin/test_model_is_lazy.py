"""What a session pays for the model provider: nothing, unless it uses it."""

from __future__ import annotations

from tests.pytest_plugin.test_door import loaded

ROOMS = ("squall.wire.provider", "squall.wire.openai", "squall.wire.anthropic", "squall.wire.clients", "squall.models")


def test_a_world_alone_loads_no_provider_and_no_sdk(session, shop):
    code = """
    import pytest

    @pytest.mark.world("shop.yaml")
    def test_it(tools):
        tools.get_order(id="1")
"""
    names = loaded(session, code, ["squall", "httptools", "jsonschema", "openai", "anthropic"])
    assert {name for name in names if not name.startswith("squall")} == set()
    assert [name for name in names if name.startswith(ROOMS) and name != "squall.models"] == []


def test_a_model_loads_the_provider_and_no_vendors_sdk(session):
    code = """
    def test_it(model):
        assert model.requests == []
"""
    names = loaded(session, code, ["squall", "openai", "anthropic", "mcp", "litellm"])
    assert {name for name in names if not name.startswith("squall")} == set()
    assert "squall.wire.provider" in names
