"""Products and decompositions made of others."""
