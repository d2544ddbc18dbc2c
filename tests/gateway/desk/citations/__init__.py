"""Citations at the desk."""
