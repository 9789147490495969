"""Writes: in-place operators, ``out=``, the checks that refuse them, and the node of a write through a view."""
