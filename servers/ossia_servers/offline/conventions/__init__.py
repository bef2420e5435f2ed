"""The ways in which requests ask for routing and for answers, each read from the request."""
