"""`python -m squall` is the command `squall`. Knows nothing but the command line's door."""

from __future__ import annotations

from squall.cli import main

if __name__ == "__main__":
    main()
