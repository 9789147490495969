"""Graphs as text and pictures, a module for each format; ``layers`` places the boxes, ``folding`` shows repeated blocks once."""
