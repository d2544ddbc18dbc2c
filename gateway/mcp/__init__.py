"""A book's tools over the Model Context Protocol."""
