"""Process groups whose tensors are carried by MPI."""
