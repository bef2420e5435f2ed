"""Templates of tasks: what is drawn, how it is said, and what a correct run does."""
