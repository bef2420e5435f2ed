"""FlowBench: its published measures, and what its turns and sessions get in Ossia."""
