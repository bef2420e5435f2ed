"""FlowBench: the services of its scenarios, its users and its players."""
