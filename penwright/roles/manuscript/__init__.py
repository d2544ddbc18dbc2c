"""The agents that plan, write, criticise and revise a manuscript."""
