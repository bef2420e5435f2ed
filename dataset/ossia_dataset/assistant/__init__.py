"""The assistant's own part of the dataset: its importer, its rules, its datasheet."""
