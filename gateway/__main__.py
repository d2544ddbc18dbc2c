"""``python -m gateway`` is ``penwright``."""

from gateway.cli.program import main

if __name__ == "__main__":
    main()
