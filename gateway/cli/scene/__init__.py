"""``penwright scene``: scenes played by a director and a cast."""
