"""TODO say what desk holds."""
