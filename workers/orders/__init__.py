"""Orders to workflows and activities carry a signature where others have logins (``engine.shared``).

An order is a start, a signal, an update or an activity. ``sending`` signs them in clients; ``receiving``
checks them inside workflows and before activities, and signs what workflows order.
"""
