"""Worlds drafted from what describes a real service: an OpenAPI document, or the tools that an MCP server lists.

A draft loads as it stands; what no record can answer is left in comments for a person to complete. Knows no network:
whoever has a file or a list of tools hands it over.
"""

from __future__ import annotations

from squall.drafts.draft import Draft
from squall.drafts.handlers import handlers_text
from squall.drafts.mcp_tools import from_tools
from squall.drafts.openapi import from_openapi
from squall.drafts.reading import load_openapi
from squall.drafts.write import world_text

__all__ = ["Draft", "from_openapi", "from_tools", "handlers_text", "load_openapi", "world_text"]
