"""What Ossia does for the assistant's suites alone."""
