"""Activities of director rounds, beside their pipeline's own steps: prompts and memories."""
