"""Recorded output of `tensh graph`."""
