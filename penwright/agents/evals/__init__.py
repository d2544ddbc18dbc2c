"""Evals: datasets, evaluators, reports, and the comparison of two runs."""
