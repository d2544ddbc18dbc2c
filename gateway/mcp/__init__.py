"""The tools of books and novels over the Model Context Protocol."""
