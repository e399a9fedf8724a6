"""What is kept on disk of runs. Knows how it is written and read back, and not what made it."""

from squall.store.exchanges import ExchangeRecord
from squall.store.journal import Folded, StateJournal, fold

__all__ = ["ExchangeRecord", "Folded", "StateJournal", "fold"]
