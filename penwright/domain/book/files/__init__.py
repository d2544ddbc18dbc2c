"""The files of a book: their paths, and how each is parsed and written."""
