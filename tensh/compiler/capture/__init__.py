"""Captures: what a function calls and reads, and the guards of its graph."""
