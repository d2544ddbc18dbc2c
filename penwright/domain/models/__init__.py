"""What is known of model answers before any provider: choice of model, tokens, structured output."""
