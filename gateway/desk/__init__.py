"""What every front door may ask: plain functions that return values and print nothing."""
