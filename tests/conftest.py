"""What all tests share: how Hypothesis behaves on machines that are busy with other things."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A timing must never decide a test: neither how long an example takes nor how long it took to make one.
settings.register_profile("squall", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("squall")
