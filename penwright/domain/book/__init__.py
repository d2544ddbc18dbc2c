"""The rules of a book: its files, its session, what a close does to it."""
