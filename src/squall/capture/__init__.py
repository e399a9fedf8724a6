"""What an agent asks models and tools, seen where it asks: hooks on SDKs that record into its run's trace.

PYTEST_DONT_REWRITE: nothing is asserted in here.
"""
