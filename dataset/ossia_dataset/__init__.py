"""Tasks: their model, loaders, importers and normal forms."""
