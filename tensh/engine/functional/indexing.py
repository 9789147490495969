"""Indexing with square brackets, and its relatives."""
