"""Citations: which works they name, where they stand, and what may be proposed for them."""
