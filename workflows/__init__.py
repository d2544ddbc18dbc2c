"""The pipelines, durable; thinner than what they ask for."""
