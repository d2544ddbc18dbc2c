"""The map of intents: where the text of each stands, counted and rendered as Markdown."""
