"""TODO say what recorder holds."""
