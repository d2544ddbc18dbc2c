"""``penwright web``: the workspace in the browser."""
