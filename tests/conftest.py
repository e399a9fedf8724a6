"""What all tests share: how Hypothesis behaves on machines that are busy with other things; no reports to makers."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# A timing must never decide a test: neither how long an example takes nor how long it took to make one.
settings.register_profile("squall", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("squall")

# Where it traces, OpenAI's Agents SDK has a thread that reports to its maker and backs off by the module `random`.
# While another test draws examples, Hypothesis takes that for a draw of its own, and fails it.
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

# A shell that starts the tests in the background has them ignore Ctrl-C, and those of interrupts would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
