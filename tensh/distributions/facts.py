"""Paragraphs of docstrings about the constraints of a distribution on its parameters and samples."""

from tensh.distributions import constraints

SHAPES = ("", " [..., n]", " [..., n, n]")  # indexed by the number of event dimensions
WORDS = {
    "Real()": "real",
    "GreaterThan(lower_bound=0)": "positive",
    "GreaterThanEq(lower_bound=0)": "non-negative",
    "Interval(lower_bound=0, upper_bound=1)": "from 0 to 1",
    "HalfOpenInterval(lower_bound=0, upper_bound=1)": "from 0 to below 1",
    "IntegerGreaterThan(lower_bound=0)": "integer and non-negative",
    "Simplex()": "probabilities that sum to 1",
    "LowerCholesky()": "lower triangular with a positive diagonal",
    "PositiveDefinite()": "positive definite",
}
CHOICES = {"probs", "logits", "covariance_matrix", "precision_matrix", "scale_tril"}  # one of each group is given


def add_facts(cls):
    """Add parameters, differentiability and errors to the docstring of a class, before its example."""
    declared = getattr(cls, "arg_constraints", None)
    if cls.__doc__ and ">>>" in cls.__doc__ and isinstance(declared, dict) and declared:
        text, mark, example = cls.__doc__.partition(">>>")
        cls.__doc__ = f"{text}{describe(declared, cls.has_rsample)}\n\n    {mark}{example}"
    return cls


def describe(declared, is_differentiable):
    """Return the sentences about a dictionary of constraints, each on a line."""
    needed = [_clause(*item) for item in declared.items() if item[0] not in CHOICES]
    choices = [_clause(*item) for item in declared.items() if item[0] in CHOICES]
    parameters = ",\n    ".join(_wrap_clauses([*needed, *([" or ".join(choices)] if choices else [])]))
    lines = [
        f"Parameters broadcast to the batch [*]: {parameters}.",
        *["Samples are differentiable."] * (is_differentiable is True),
        "Raise ValueError for parameters or values that are not allowed, unless ``validate_args=False``.",
    ]
    return "\n    ".join(lines)


def _wrap_clauses(clauses):
    """Join clauses with commas, as many as fit into each line."""
    lines = [""]
    for clause in clauses:
        if len(lines[-1]) + len(clause) > 70:
            lines.append("")
        lines[-1] += ", " * bool(lines[-1]) + clause
    return lines


def _clause(name, constraint):
    """Return a parameter with its event shape and range."""
    shape = SHAPES[constraint.event_dim]
    if isinstance(constraint, constraints.independent):
        constraint, shape = constraint.base_constraint, shape.replace("n, n", "n, m")
    return f"``{name}``{shape} {WORDS[repr(constraint).replace('.0', '')]}"
