"""What the manuscript loop and citation scans ask of a novel's texts, beside their pipelines' own steps."""
