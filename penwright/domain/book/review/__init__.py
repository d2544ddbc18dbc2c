"""The prose that waits for review: comments, deliveries, reworks, and how it enters the book."""
