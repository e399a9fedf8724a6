"""Brains: what a model says, and what a provider asks of a conversation. No protocol, no input and no output."""
