"""WorFBench: the published measure of workflow graphs, and the corrected one beside it."""
