"""The house itself: rules, agents, roles, ports and adapters. It knows nothing of Temporal."""
