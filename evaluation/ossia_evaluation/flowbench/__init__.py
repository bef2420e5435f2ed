"""FlowBench: its published measures, defects included, and corrected ones beside them."""
