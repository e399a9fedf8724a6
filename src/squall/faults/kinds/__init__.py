"""The kinds of fault, one per file. Each file defines `KIND`, or `FAMILY` where a number is a part of the name."""
