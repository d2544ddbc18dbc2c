"""The continuity of a book: what its prose states, where, and what follows for the next session."""
