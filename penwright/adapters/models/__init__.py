"""Implementations of the model port: vendors through litellm, the demo model, and scripts for tests."""
