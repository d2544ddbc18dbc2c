"""How many examples a rule is tried on, unless its test says so itself."""

import os

LONG = os.environ.get("PENWRIGHT_SWEEP") == "long"
"""``make sweep`` sets the variable; ``make test`` takes the short form."""
EXAMPLES = 1_000 if LONG else 40
