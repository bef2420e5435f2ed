"""Attribution of a run's failures: replays through the real frameworks, stored with the run."""
