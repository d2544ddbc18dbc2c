"""Library of agents that knows neither books nor Temporal."""
