"""The HTTP API and the guard in front of everything that is served."""
