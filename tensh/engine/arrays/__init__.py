"""NumPy arrays: memory layout, copies, and computations on all cores of the machine."""
