"""Scripts that run as Python: containers with checked values, what cannot be a script, and failures."""
