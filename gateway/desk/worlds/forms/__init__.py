"""Forms: a thing as commented YAML that a person edits, and the way back."""
