"""Recorded figures of layers, and their errors."""
