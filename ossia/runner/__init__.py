"""Running episodes: plan, workers, services and the durable store of a run."""
