"""The desk's view of running workflows, over a Temporal client."""
