"""Recorded dtypes of promotion."""
