"""The engine as the desk sees it: how work is started, signalled, followed and listed."""
