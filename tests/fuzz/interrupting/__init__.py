"""Processes that are stopped at random moments: ``python -m tests.fuzz.interrupting``."""
