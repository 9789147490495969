"""Files of a session: saved and loaded whole, exported as a program, tensors opened from elsewhere."""
