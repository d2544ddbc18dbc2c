"""Plans the sections, those that are written already included."""
