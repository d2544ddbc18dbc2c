"""Who wrote what, and under which intent."""
