"""The one place where the version stands. Knows nothing else."""

__version__ = "0.1.0"
