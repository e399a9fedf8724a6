"""`paged_tools`: the list of tools comes in pages."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params, Unfit


class PagedToolsParams(Params):
    """Parameters of `paged_tools`."""

    page_size: Annotated[int, Field(ge=1, strict=True)] = 1
    """How many tools a page holds."""


def _act(params: PagedToolsParams, _draw: Draw, _target: Target) -> Action:
    return Action(page_size=params.page_size)


def _misfit(params: PagedToolsParams, target: Target) -> Unfit | None:
    if target.size is None or params.page_size < target.size:
        return None
    page = "one tool" if params.page_size == 1 else f"{params.page_size} tools"
    return Unfit("page_size", f"a page holds {page}, and there {'is' if target.size == 1 else 'are'} {target.size}")


KIND = Kind(
    name="paged_tools",
    phase="before",
    act=_act,
    params=PagedToolsParams,
    wire="session",
    misfit=_misfit,
    summary="A server may list its tools in pages, and now it does: a client that looks at the first page alone misses "
    "the others. It happens to a list that is begun; the pages that follow belong to it.",
    sees="MCP: `nextCursor` in the answer to `tools/list`. Plain callables: nothing, for they are not listed.",
    example="session.list_tools: [{ kind: paged_tools, page_size: 2 }]",
)
