"""What a plan is measured by: the published measure, and the corrected one beside it."""
