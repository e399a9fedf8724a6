"""A trace read as a story: what each check begins with. See `shapes` for what the fields mean."""

from squall.checks.story.build import story_of
from squall.checks.story.gaps import CAPTURE_INCOMPLETE
from squall.checks.story.shapes import NOT_JSON, Conversation, Message, Story, ToolStep, Turn, Use

__all__ = [
    "CAPTURE_INCOMPLETE",
    "NOT_JSON",
    "Conversation",
    "Message",
    "Story",
    "ToolStep",
    "Turn",
    "Use",
    "story_of",
]
