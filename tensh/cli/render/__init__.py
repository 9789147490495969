"""Showing what happened: events as text for a stream, in colour where it takes colour."""
