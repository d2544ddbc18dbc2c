"""Agents: definitions, runs, evals, and sessions that outside agents drive."""
