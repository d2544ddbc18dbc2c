"""The tools with which an agent of the house changes the files of a book, under an intent."""
