"""The front door: parses, calls, prints; holds no rule."""
