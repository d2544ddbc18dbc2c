"""Roles of agents: one folder per role, its definition and its prompts as Markdown."""
