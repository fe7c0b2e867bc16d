"""What an agent can do with the judge, and the server through which it does it."""
