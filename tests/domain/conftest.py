"""How the rules are explored: a shared machine is no stopwatch, and ``make sweep`` looks further."""

from hypothesis import settings

from tests.support.sweeps import EXAMPLES

settings.register_profile("rules", deadline=None, max_examples=EXAMPLES)
settings.load_profile("rules")
