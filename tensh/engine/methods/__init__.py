"""What a tensor knows of itself, and what Python asks of it."""
