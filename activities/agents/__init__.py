"""Activities of runs of agents and evals, beside their pipeline's own steps: turns, tools, messages."""
