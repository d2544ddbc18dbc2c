"""A director's plan: read, held for a person, edited, and applied."""
