"""New books: the files they start from, and how a repository is founded."""
