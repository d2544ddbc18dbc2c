"""Memories of scenes with their vectors, and summaries."""
