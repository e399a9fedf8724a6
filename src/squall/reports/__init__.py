"""What runs came to, as files for others: one format per module. Runs nothing and judges nothing.

PYTEST_DONT_REWRITE: nothing is asserted in here.
"""
