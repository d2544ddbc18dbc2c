"""Activities of workflows: thin, typed, one frozen class per pipeline."""
