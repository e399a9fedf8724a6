"""The trace is the waist: producers write it, checks and reports read it, and they share nothing else.

Holds the events (one kind per file), the hash chain, the recorder and the reader. Knows neither worlds nor wires.
"""

from squall.trace.reader import CallView, Entry, Trace
from squall.trace.recorder import FileRecorder, Recorder
from squall.trace.verify import BrokenChain, Verified, verify, verify_lines

__all__ = [
    "BrokenChain",
    "CallView",
    "Entry",
    "FileRecorder",
    "Recorder",
    "Trace",
    "Verified",
    "verify",
    "verify_lines",
]
