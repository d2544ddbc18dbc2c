"""The conformance suite of every harness of an agent."""
