"""Reader's copies: made of a book or novel, signed, and checked."""
