"""The trace is the waist: producers write it, checks and reports read it, and they share nothing else.

Holds the events (one kind per file), the hash chain, the recorder and the reader. Knows neither worlds nor wires.
"""

from squall.trace.model_calls import AttemptView, ModelCallView
from squall.trace.reader import CallView, Entry, Trace
from squall.trace.recorder import FileRecorder, Recorder
from squall.trace.verify import BrokenChain, Verified, verify, verify_lines

__all__ = [
    "AttemptView",
    "BrokenChain",
    "CallView",
    "Entry",
    "FileRecorder",
    "ModelCallView",
    "Recorder",
    "Trace",
    "Verified",
    "verify",
    "verify_lines",
]
