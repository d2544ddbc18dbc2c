"""Activities of citation scans, beside their pipeline's own steps."""
