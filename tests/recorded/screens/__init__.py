"""Recorded screens of a terminal."""
