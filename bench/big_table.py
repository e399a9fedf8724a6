"""What a table of a million rows costs: loading it, generated and from a CSV file, its memory, reads by id and index.

Each size is loaded in a process of its own, so that its memory is its own. Reads are timed by the processor's time of
that process, since those of different processes, at different moments, are compared.
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from _table import Figure, at_most, median, plain, quiet, show
from _worlds import world_of

SMALL, BIG = 1_000, 1_000_000
READS = 20_000
ROUNDS = 5
FROM_FILE = """\
name: file{rows}
services:
  orders:
    records:
      order: {{ id: str, status: "enum[placed, shipped]", total: decimal, quantity: int, placed_at: datetime }}
    seed: {{ order: {{ from: orders{rows}.csv }} }}
    operations: {{ get_order: {{ kind: get, record: order }} }}
"""


def file_world(rows: int) -> Path:
    """A world whose orders are in a CSV file."""
    path = world_of(SMALL).parent / f"file{rows}.yaml"
    path.write_text(FROM_FILE.format(rows=rows))
    with (path.parent / f"orders{rows}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "status", "total", "quantity", "placed_at"])
        for number in range(rows):
            status = ("placed", "shipped")[number % 2]
            writer.writerow([number, status, f"{number % 500}.{number % 100:02}", number % 9, "2025-05-20T12:00:00Z"])
    return path


def lines_world(rows: int) -> Path:
    """As `file_world`, in JSON Lines."""
    path = file_world(rows)
    lines = path.with_name(f"lines{rows}.yaml")
    lines.write_text(path.read_text().replace(".csv", ".jsonl"))
    source, target = path.with_name(f"orders{rows}.csv"), path.with_name(f"orders{rows}.jsonl")
    with source.open() as table, target.open("w") as file:
        for row in csv.DictReader(table):
            file.write(json.dumps({**row, "quantity": int(row["quantity"])}) + "\n")
    return lines


def measured(path: str) -> dict[str, Any]:
    """What this process takes to load a world and to read it: seconds, megabytes, reads a second."""
    from squall.worlds import World  # in the process that is measured, and only there

    began, busy = perf_counter(), process_time()
    world = World.load(path)
    found: dict[str, Any] = {"load": perf_counter() - began, "busy": process_time() - busy, "rows": len(world.orders)}
    key = str(found["rows"] // 2)
    works = {"get": ("get_order", {"id": key})}
    if "list_orders" in world.operations:
        works["list"] = ("list_orders", {"customer": world.orders[key].customer})
    for name, (tool, args) in works.items():
        world.call(tool, args)  # the first one builds the index
        rates: list[float] = []
        for _ in range(ROUNDS):
            with quiet():
                start = process_time()
                for _ in range(READS):
                    world.call(tool, args)
                rates.append(READS / (process_time() - start))
        found[name] = median(rates)
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def apart(path: Path) -> dict[str, Any]:
    """`measured`, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, str(path)], check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    small, big, file, lines = map(apart, (world_of(SMALL), world_of(BIG), file_world(BIG), lines_world(BIG)))
    assert (small["rows"], big["rows"], file["rows"], lines["rows"]) == (SMALL, BIG, BIG, BIG)
    figures: list[Figure] = [
        at_most("load 1,000,000 generated rows (and 200,000 they refer to)", big["load"], 10, "s"),
        plain("… of which the processor was at work for it", big["busy"], "s"),
        at_most("load 1,000,000 rows from CSV", file["load"], 10, "s"),
        plain("… of which the processor was at work for it", file["busy"], "s"),
        at_most("load 1,000,000 rows from JSON Lines", lines["load"], 10, "s"),
        plain("… of which the processor was at work for it", lines["busy"], "s"),
        at_most("memory of the process, generated", big["memory"], 1000, "MB"),
        at_most("memory of the process, from CSV", file["memory"], 1000, "MB"),
        at_most("memory of the process, from JSON Lines", lines["memory"], 1000, "MB"),
        plain("get by id, 1,000,000 rows", big["get"], "calls/s"),
        at_most("… times slower than with 1,000 rows", small["get"] / big["get"], 1.5, "times"),
        plain("list by reference, 1,000,000 rows", big["list"], "calls/s"),
        at_most("… times slower than with 1,000 rows", small["list"] / big["list"], 1.5, "times"),
    ]
    show("A table of a million rows", figures)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
    else:
        main()
