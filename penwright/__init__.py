"""Rules, agents, roles, ports and adapters. Nothing here imports Temporal."""
