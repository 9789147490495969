"""NumPy arrays: where they lie in memory, and how many elements are computed, moved and added on the machine's cores."""
