"""Parts of the pages of a book."""
