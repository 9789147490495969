"""Recorded sessions at a Python prompt."""
