"""Who the agents are: one folder per role, its definition and its prompts as Markdown."""
