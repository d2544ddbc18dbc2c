"""A scene's memories and summary, made beside its rounds."""
