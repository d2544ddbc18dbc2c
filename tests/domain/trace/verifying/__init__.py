"""The verifier, level by level."""
