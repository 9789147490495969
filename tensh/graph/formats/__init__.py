"""Graphs as text and pictures, a module a format; ``layers`` places boxes, ``folding`` shows repeated blocks once."""

FORMATS = {
    "text": (".txt",),
    "dot": (".dot", ".gv"),
    "mermaid": (".mmd", ".mermaid"),
    "json": (".json",),
    "svg": (".svg",),
    "png": (".png",),
}
"""Format -> the extensions of its files. "text" is one of ``VIEWS``, Graphviz draws "png", and a module here each other."""
VIEWS = ("auto", "tree", "tape", "dag")
"""Layouts of a graph as text: "auto" is the tree of a small graph, the tape of others."""
