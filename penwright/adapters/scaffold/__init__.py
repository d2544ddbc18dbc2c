"""New books: their initial files, and creating their repository."""
