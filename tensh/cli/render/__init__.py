"""Rendering events as text for a stream, in colour where the stream supports it."""
