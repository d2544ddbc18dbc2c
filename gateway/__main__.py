"""``python -m gateway`` is ``penwright``."""

from gateway.cli.entry import main

if __name__ == "__main__":
    main()
