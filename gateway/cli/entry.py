"""The first lines of ``penwright``: a Ctrl-C is answered while the program is still being loaded."""

import sys


def main() -> None:
    """Load the program and run it."""
    try:
        from gateway.cli import program
    except KeyboardInterrupt:
        print("error[interrupted]: interrupted before anything began", file=sys.stderr)
        sys.exit(130)
    program.main()
