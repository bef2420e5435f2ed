"""Who broke a plan: what each role of a planning team owes, and replays with it put right."""
