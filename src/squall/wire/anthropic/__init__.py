"""The model wire as Anthropic speaks it: messages, the counting of their tokens, models, errors."""
