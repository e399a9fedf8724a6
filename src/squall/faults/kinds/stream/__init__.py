"""What may happen to a model's reply that is a stream, one file per kind, and their order in the documentation."""

from squall.faults.kind import Family, Kind
from squall.faults.kinds.stream import (
    clean_eof,
    error_event,
    interleaved_deltas,
    malformed_event,
    ping_only,
    slow_chunks,
    stream_disconnect,
    stream_stall,
)

TABLE: tuple[Kind | Family, ...] = (
    stream_disconnect.KIND,
    stream_stall.KIND,
    slow_chunks.KIND,
    clean_eof.KIND,
    ping_only.KIND,
    error_event.KIND,
    malformed_event.KIND,
    interleaved_deltas.KIND,
)
