"""Special functions, computed from series, asymptotic expansions and integrals."""
