"""How many examples a rule is tried on: few by ``make test``, many by ``make sweep``."""

import os

LONG = os.environ.get("PENWRIGHT_SWEEP") == "long"
"""``make sweep`` sets the variable; ``make test`` takes the short form."""
EXAMPLES = 1_000 if LONG else 12
"""Unless its test says so itself."""


def examples(many: int) -> int:
    """``many`` in the sweep; a quarter of it, and no fewer than ten, in the short form."""
    return many if LONG else max(many // 4, 10)
