"""Recorded outcomes of transforms."""
