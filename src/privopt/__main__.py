"""`python -m privopt` is the command `privopt`.

Ctrl-C while it is being loaded stops it as quietly as later, when the command hears it itself.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

_STOPPED = 130  # as `privopt.cli.interrupt` has it, which may not be loaded yet


def main() -> None:
    """Run the command."""
    try:
        from privopt.cli import app
    except KeyboardInterrupt:
        sys.stderr.write("stopped.\n")
        raise SystemExit(_STOPPED) from None
    app()


if __name__ == "__main__":
    main()
