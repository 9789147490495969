"""Plausible sessions, written into files of each kind, converted in a circle, checked and run."""
