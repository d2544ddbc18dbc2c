"""The workspace in the browser: pages over the desk."""
