"""One module per change of the tables; a module that was released is never edited."""
