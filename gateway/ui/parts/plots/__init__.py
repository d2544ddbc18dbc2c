"""Pictures, and figures beside each other."""
