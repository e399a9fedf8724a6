"""The kinds of fault, one per file. Each file defines `KIND`."""
