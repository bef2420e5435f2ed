"""What is judged by the state of a world, whatever the suite: gold runs, outcomes, scores."""
