"""People at one table: what a seat may see, and whose turn it is."""
