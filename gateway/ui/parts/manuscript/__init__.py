"""Parts of a manuscript's page."""
