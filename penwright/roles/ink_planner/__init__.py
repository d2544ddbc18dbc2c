"""The planner of a book: the outline of a chapter that has none."""
