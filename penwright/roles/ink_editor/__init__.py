"""The editor: changes the files of a book as it is asked to."""
