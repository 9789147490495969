"""Comparisons and logic made of others."""
