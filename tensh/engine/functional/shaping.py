"""Shapes: splitting, joining and rearranging made of others."""
