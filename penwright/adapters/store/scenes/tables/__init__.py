"""The tables of worlds, scenes and memories."""
