"""The command `squall`: one file per subcommand. Words and exit statuses are here, the work is in the other rooms."""

from squall.cli.app import main

__all__ = ["main"]
