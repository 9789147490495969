"""Operators that work element by element: arithmetic, elementary functions, activations, comparison and bits."""
