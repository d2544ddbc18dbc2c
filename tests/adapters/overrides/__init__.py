"""Override sets outside the code they change."""
