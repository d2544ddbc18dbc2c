"""Activities of the manuscript loop and citation scans in a novel's texts, beside their own steps."""
