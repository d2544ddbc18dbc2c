"""TODO say what files holds."""
