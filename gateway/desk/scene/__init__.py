"""Scenes: made, played by rounds, steered, changed, looked at."""
