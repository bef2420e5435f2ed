"""WorFBench: generated workflow graphs, measured, carried out, and attributed to roles."""
