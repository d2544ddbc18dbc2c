"""Sources of one's own, as rules: names, works, running text, passages."""
