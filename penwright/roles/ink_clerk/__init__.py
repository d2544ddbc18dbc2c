"""The clerk of a book: it reads a passage, and lists what the prose states, each with its quote."""
