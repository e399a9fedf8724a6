"""Reads runs that others have recorded, whatever the tool: each becomes a `Trace`, which checks judge like any other.

`load` reads a file, `stream` one run at a time in bounded memory, `load_otlp` OTLP/JSON and nothing else. What a file
is shows in its structure alone, never in its name. Each reader is a file, and they know nothing of each other.
"""

from squall.trace.formats.chat_export import export_chat
from squall.trace.formats.otlp_export import export_otlp
from squall.trace.formats.reading import FORMATS, load, load_otlp, stream

__all__ = ["FORMATS", "export_chat", "export_otlp", "load", "load_otlp", "stream"]
