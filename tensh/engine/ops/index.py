"""Reading and writing by index: gathering and scattering are each other's derivative."""
