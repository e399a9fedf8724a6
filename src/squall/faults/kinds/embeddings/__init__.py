"""What may happen to vectors, one file per kind, and their order in the documentation."""

from squall.faults.kind import Family, Kind
from squall.faults.kinds.embeddings import nan, wrong_count, wrong_dimension, wrong_order

TABLE: tuple[Kind | Family, ...] = (wrong_count.KIND, wrong_dimension.KIND, wrong_order.KIND, nan.KIND)
