"""The commands for worlds, campaigns, arcs, characters, personas and lorebooks."""
