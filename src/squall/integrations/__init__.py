"""Doors for agent frameworks, one module each; none is imported unless a test asks for it."""
