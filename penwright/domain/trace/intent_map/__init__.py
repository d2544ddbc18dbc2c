"""The map of intents: where the text of each is, counted and rendered as Markdown."""
