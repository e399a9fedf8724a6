"""What squall's statistics import: neither scipy nor statsmodels, which only these tests have."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("scipy", "statsmodels", "numpy", "pandas", "statistics")


@pytest.mark.parametrize(
    "code",
    [
        "import squall.stats as s; s.gate(5, 9, 0.9); s.sample_size(0.9); s.bootstrap([1, 2]); s.wilson(3, 4)",
        "import sys; sys.argv = ['squall', 'sample-size', '--rate', '0.9']; import squall.cli as c; c.main()",
    ],
)
def test_neither_the_functions_nor_the_command_import_them(code):
    after = f"""
import atexit, sys
atexit.register(lambda: print(*sorted(set({HEAVY!r}) & sys.modules.keys())))
"""
    done = subprocess.run([sys.executable, "-c", after + code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == ""
