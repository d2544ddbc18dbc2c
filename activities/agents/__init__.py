"""What runs of agents and evals ask, beside their pipeline's own steps: turns, tools, messages."""
