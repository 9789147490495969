"""Recorded losses of training programs."""
