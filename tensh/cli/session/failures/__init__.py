"""Failures: what failed and where, as plain data, with suggestions for names that do not exist."""
