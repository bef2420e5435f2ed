"""Who made a session fail: what each role owes in a turn, and replays with it put right."""
