"""WorkBench (arXiv 2405.00823): databases, tasks, a generator of our own and an importer."""
