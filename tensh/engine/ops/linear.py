"""Matrix products, solvers and factorisations."""
