"""Cumulative operators, sorting and searching."""
