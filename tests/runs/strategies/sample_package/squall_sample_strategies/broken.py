"""A module that does not load."""

raise LookupError("no such shelf")
