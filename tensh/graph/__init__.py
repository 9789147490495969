"""The autograd graph as something to look at: plain data from a tensor, and text from the data.  No terminal is needed.

``walk.Graph`` numbers the nodes behind a tensor and describes each; ``tree``, ``tape``, ``dag``, ``svg``, ``dot``, ``mermaid`` and ``json``
write it down.  ``provenance`` knows where in the user's code a node was recorded, ``names`` what the user calls it.
"""
