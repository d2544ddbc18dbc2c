"""Tools of the built-in agents that change the files of a book, under an intent."""
