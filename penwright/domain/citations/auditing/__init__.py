"""Audits of citations: entries listed, judged by their verdicts, and the order of the steps."""
