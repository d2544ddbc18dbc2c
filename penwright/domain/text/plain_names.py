"""Names given by people that are safe in files, tables and command lines."""

import re

RULE = "1–64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def is_plain_name(name: str) -> bool:
    """Whether ``name`` follows ``RULE``."""
    return _NAME.fullmatch(name) is not None
