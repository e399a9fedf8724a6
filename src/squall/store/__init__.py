"""What is kept on disk of runs. Knows how it is written and read back, and not what made it."""

from squall.store.exchanges import ExchangeRecord
from squall.store.folder import Runs
from squall.store.journal import Folded, StateJournal, fold
from squall.store.reading import Stored, read_runs

__all__ = ["ExchangeRecord", "Folded", "Runs", "StateJournal", "Stored", "fold", "read_runs"]
