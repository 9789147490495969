"""Plausible sessions, written into files of each kind, converted from kind to kind and back, checked and run."""
