"""Works, which are books and novels: how they are found, made and named."""
