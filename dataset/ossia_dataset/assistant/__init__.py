"""The assistant's own part of the dataset: its importer and its rules."""
