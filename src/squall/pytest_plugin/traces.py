"""Where the trace of a run is written for `--squall-traces DIR`: one file per run, named after it.

Knows names of files; what stands in them is the trace's own business.
"""

from __future__ import annotations

import re
from pathlib import Path

from squall.canonical import digest

UNSAFE = re.compile(r"[^\w.\-\[\]]")
LONGEST = 150  # of 255 bytes that file systems allow


def trace_path(folder: Path, nodeid: str) -> Path:
    """`test_a.py--test_x[run3].jsonl`; characters that no file can have are told apart by a few digits."""
    name = nodeid.replace("::", "--").replace("/", "-")
    safe = UNSAFE.sub("-", name)[:LONGEST]
    if safe != name or "/" in nodeid.partition("[")[2]:
        safe = f"{safe}-{digest(nodeid)[:8]}"
    return folder / f"{safe}.jsonl"
