"""Read and write elements at given places."""
