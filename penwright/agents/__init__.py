"""What an agent is: a library that knows neither books nor Temporal."""
