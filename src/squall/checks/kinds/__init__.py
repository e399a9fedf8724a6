"""The checks, one file each. The rule of each stands in the docstring of its module."""
