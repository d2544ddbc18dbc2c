"""Books for readers: the text without the engine's marks, with a title page and a list of contents."""
