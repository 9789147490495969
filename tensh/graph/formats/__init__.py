"""Graphs as text and pictures, a module a format; ``layers`` places boxes, ``folding`` shows repeated blocks once."""
