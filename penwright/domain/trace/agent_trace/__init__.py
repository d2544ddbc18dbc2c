"""Agent Trace 0.1.0 and older formats: exporting, importing and checking their claims."""
