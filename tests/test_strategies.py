from __future__ import annotations

import subprocess
import sys

import squall.strategies
from squall.runs.strategies import recovery
from squall.runs.strategies.resilient import Resilient


def test_all_that_a_strategy_needs_is_in_one_place():
    for name in squall.strategies.__all__:
        assert getattr(squall.strategies, name).__doc__
    assert squall.strategies.Resilient is Resilient


def test_every_part_that_is_told_of_is_there():
    told = [line.split("`")[1] for line in str(recovery.__doc__).splitlines() if line.startswith("| `")]
    assert len(told) == 11
    assert set(told) <= set(squall.strategies.__all__)


def test_it_loads_no_sdk_and_no_http_client():
    heavy = "{'mcp', 'openai', 'anthropic', 'httpx2', 'pytest'}"
    code = f"import sys, squall.strategies; print(sorted({heavy} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
