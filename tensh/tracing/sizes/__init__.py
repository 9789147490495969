"""Sizes of traces: numbers with nodes, dynamic dimensions, what programs and operators decide on them, and their texts."""
