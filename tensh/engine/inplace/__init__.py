"""Writes: in-place operators, ``out=``, what refuses them, and the node of a write through a view."""
