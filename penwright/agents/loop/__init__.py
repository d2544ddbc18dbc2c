"""The run of an agent: a pure step function and its transitions."""
