"""What citation scans ask, beside their pipeline's own steps."""
