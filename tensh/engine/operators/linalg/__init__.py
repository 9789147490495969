"""Products, systems of equations and factorizations of matrices."""
