"""What is remembered of scenes: memories with their vectors, and summaries."""
