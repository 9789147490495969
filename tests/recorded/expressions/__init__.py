"""Recorded outcomes of expressions."""
