"""The embedded engine: servers and workers as one tree of processes under one supervisor."""
