"""How two texts differ, and how alike they are."""
