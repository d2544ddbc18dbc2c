"""How many examples a rule is tried on, unless its test says so itself."""

import os

EXAMPLES = 1_000 if os.environ.get("PENWRIGHT_SWEEP") == "long" else 40
"""``make sweep`` sets the variable; ``make test`` takes the short form."""
