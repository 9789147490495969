"""Values of another kind than the code takes them for."""
