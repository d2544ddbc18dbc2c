"""Orders to workflows carry a signature where other people have logins (``engine.shared``).

An order is a start, a signal or an update. ``sending`` signs them in clients; ``receiving`` checks them
inside workflows, and signs what these order themselves.
"""
