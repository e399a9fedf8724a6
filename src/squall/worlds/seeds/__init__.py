"""The rows that a world starts with: generated cell by cell, or read from data files."""
