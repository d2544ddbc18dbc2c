"""Citations of manuscripts: scans, what they propose, and references from other programs."""
