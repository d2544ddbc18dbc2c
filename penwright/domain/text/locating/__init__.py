"""How the locator compares: normal form, edit distance, and what must not differ."""
