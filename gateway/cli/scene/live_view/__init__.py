"""``penwright scene play``: a scene on a terminal, with replies as they come."""
