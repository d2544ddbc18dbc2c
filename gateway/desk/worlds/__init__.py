"""Worlds, campaigns, arcs, characters, personas and lorebooks: what people write before they play."""
