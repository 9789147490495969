"""Reductions: the derivative spreads the gradient back over what was reduced."""
