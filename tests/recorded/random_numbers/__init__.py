"""Recorded random numbers."""
