"""Capture: while a recorder is active, every call of an operator becomes a line of a graph.

``points`` has the functions that can be recorded; ``recorder`` turns their calls into lines, which ``lines`` defines;
``places`` finds the user's instruction and the modules around a call.
"""
