"""Activities of book sessions, beside their pipeline's own steps."""
