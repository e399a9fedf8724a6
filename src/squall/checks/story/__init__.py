"""A trace read as a story: what each check begins with. See `shapes` for what the fields mean."""

from squall.checks.story.build import story_of
from squall.checks.story.shapes import NOT_JSON, Conversation, Message, Raised, Story, ToolStep, Turn, Use
from squall.checks.story.stretches import Stretch, stretches_of

__all__ = [
    "NOT_JSON",
    "Conversation",
    "Message",
    "Raised",
    "Story",
    "Stretch",
    "ToolStep",
    "Turn",
    "Use",
    "story_of",
    "stretches_of",
]
