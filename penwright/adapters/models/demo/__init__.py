"""The demo model: it needs no key, costs nothing, and computes its answers from the request."""
