"""The notes: a function for each confirms what was observed in the source, and writes (message, advice)."""
