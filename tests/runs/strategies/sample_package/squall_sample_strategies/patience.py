"""How patient it is."""

TIMES = 5
