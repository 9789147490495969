"""The graph of a script: its blocks and lines, how they are built, cleaned and inlined."""
