"""FlowBench at the command line."""
