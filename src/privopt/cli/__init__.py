"""The command line: parse, call, print.

Everything else lives in the library.
"""

from privopt.cli.main import app

__all__ = ["app"]
