"""TODO say what evals holds."""
