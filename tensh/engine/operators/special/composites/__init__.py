"""Special functions made of operators."""
