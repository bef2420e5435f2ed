"""Reading what the user was told: values, claims, denials; and whether it is true."""
