"""Builds and drives runs: one environment per run, and which run is current."""
