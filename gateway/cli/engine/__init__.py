"""The engine's commands: ``up``, ``down``, ``status``, ``doctor``, ``logs``, ``config``."""
