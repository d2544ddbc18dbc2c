"""The histories of intents: what was done under each, and where its text is now."""
