"""The writer of a book session: rework first, then exactly the words that are wanted."""
