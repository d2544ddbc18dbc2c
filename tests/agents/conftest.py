"""How the rules are explored: a shared machine is no stopwatch."""

from hypothesis import settings

settings.register_profile("agents", deadline=None)
settings.load_profile("agents")
