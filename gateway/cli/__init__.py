"""The ``penwright`` command line: parse, ask the desk, print."""
