"""TODO say what models holds."""
