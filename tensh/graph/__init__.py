"""The autograd graph for display: plain data made from a tensor, and text made from the data.  No terminal is needed.

``walk.Graph`` numbers the nodes behind a tensor and describes each; ``tree``, ``tape``, ``dag``, ``svg``, ``dot``,
``mermaid`` and ``json`` are its output formats.  ``provenance`` knows where in the user's code a node was recorded,
``names`` how the user calls it.
"""
