"""Policies that deny calls, feedback that comments on them, completion checkers that refuse to stop."""
