"""Reads the `auth` of a service: its token, for how long it is good, and the operation that gives new ones.

Knows names and times; no operation but that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.errors import shown
from squall.worlds.fields.typetext import NAME
from squall.worlds.file.plans import Blueprint, Loc, OperationPlan
from squall.worlds.file.shapes import mapping
from squall.worlds.services.auth import Auth


def read_auth(blueprint: Blueprint, service: str, parts: Mapping[Any, Any], *, qualified: bool) -> Auth | None:
    """How the service is entered, or None."""
    given = mapping(parts.get("auth"))
    if not isinstance(given.get("token"), str):
        return None  # the shape is complained of elsewhere
    loc: Loc = ("services", service, "auth")
    named = {key: given[key] for key in ("argument", "refresh") if isinstance(given.get(key), str)}
    for key, name in list(named.items()):
        if not NAME.match(name):
            hint = "a name is letters, digits and _ and begins with a letter"
            what = "an argument" if key == "argument" else "an operation"
            blueprint.problem(f"{shown(name)} cannot name {what}", (*loc, key), hint=hint)
            del named[key]
    refresh = named.get("refresh")
    tool = f"{service}_{refresh}" if qualified and refresh else refresh
    expires = blueprint.duration(given, "expires", loc)
    return Auth(service, given["token"], named.get("argument", "token"), expires, refresh, tool)


def renewal(auth: Auth) -> OperationPlan | None:
    """The operation that gives new tokens, if there is one."""
    if auth.refresh is None or auth.tool is None:
        return None
    return OperationPlan(
        service=auth.service,
        name=auth.refresh,
        tool=auth.tool,
        kind="custom",
        loc=("services", auth.service, "auth", "refresh"),
        access="write",
        description=f"Get a new access token for {auth.service} in exchange for the one you have, expired or not.",
        auth=auth,
        renews=True,
    )
