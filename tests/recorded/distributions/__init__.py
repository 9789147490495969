"""Recorded figures of distributions."""
