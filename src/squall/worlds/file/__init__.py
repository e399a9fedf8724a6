"""From a world's file to what it means: its shape, its declarations, all problems at once, and the memory of files."""
