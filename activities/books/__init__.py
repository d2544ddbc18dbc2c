"""What book sessions ask, beside their pipeline's own steps."""
