"""``ink-cli``, the tools of a book-writing agent."""
