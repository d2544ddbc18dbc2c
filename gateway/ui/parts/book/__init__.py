"""What the pages of a book are made of."""
