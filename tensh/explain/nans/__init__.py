"""The origin of nan in a graph."""
