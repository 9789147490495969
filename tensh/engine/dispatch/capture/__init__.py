"""Capture: while a recorder is on, every call of an operator becomes a line of a graph.

``points`` knows the functions that can be recorded, ``recorder`` makes lines of their calls, ``lines`` is what it makes,
``places`` finds the user's instruction and the modules around a call.
"""
