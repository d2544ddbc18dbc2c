"""What every front end may ask: plain functions that return values and print nothing."""
