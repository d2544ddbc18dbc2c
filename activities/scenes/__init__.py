"""What director rounds ask, beside their pipeline's own steps: prompts, and what is remembered."""
