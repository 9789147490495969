"""Comparisons and logic: no derivative."""
