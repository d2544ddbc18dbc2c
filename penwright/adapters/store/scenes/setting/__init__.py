"""Settings of scenes: worlds, campaigns, arcs, their people and lore."""
