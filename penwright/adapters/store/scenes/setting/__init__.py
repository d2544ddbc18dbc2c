"""What scenes are set in: worlds, campaigns, arcs, their people and lore."""
