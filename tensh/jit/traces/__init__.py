"""Traces: what they can take and return, how they are checked, and their parts."""
