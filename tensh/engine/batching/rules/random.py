"""Random numbers: an error, the same for all samples, or different ones, as each running call of ``vmap`` asks for them."""

OPERATORS: dict = {}
FUNCTIONS: dict = {}
