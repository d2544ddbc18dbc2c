"""Parts of a scene's page."""
