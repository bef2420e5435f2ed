"""What the model decides where requests ask for routing and for plans, in the form of each."""
