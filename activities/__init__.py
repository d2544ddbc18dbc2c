"""What a workflow may ask of the world: thin, typed, one frozen class per pipeline."""
