"""The kinds of event that a trace holds, one per file. Values only: nothing here records, hashes or reads."""

from squall.trace.kinds.abandoned import Abandoned
from squall.trace.kinds.agent_final import AgentFinal
from squall.trace.kinds.attempt import Attempt
from squall.trace.kinds.attempt_end import AttemptEnd
from squall.trace.kinds.base import Event
from squall.trace.kinds.capture_incomplete import CaptureIncomplete
from squall.trace.kinds.delivery import Delivery
from squall.trace.kinds.effect import Effected
from squall.trace.kinds.fault import Faulted
from squall.trace.kinds.landed import Landed
from squall.trace.kinds.mark import Mark
from squall.trace.kinds.model_call import ModelCall
from squall.trace.kinds.model_reply import ModelReply
from squall.trace.kinds.run_end import RunEnd
from squall.trace.kinds.run_start import RunStart
from squall.trace.kinds.tool_call import ToolCall
from squall.trace.kinds.tool_result import ToolResult

AnyEvent = (
    RunStart
    | ModelCall
    | Attempt
    | AttemptEnd
    | ModelReply
    | ToolCall
    | ToolResult
    | Faulted
    | Effected
    | Delivery
    | Abandoned
    | Landed
    | CaptureIncomplete
    | Mark
    | AgentFinal
    | RunEnd
)

__all__ = [
    "Abandoned",
    "AgentFinal",
    "AnyEvent",
    "Attempt",
    "AttemptEnd",
    "CaptureIncomplete",
    "Delivery",
    "Effected",
    "Event",
    "Faulted",
    "Landed",
    "Mark",
    "ModelCall",
    "ModelReply",
    "RunEnd",
    "RunStart",
    "ToolCall",
    "ToolResult",
]
