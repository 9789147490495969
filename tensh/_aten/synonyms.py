"""Operators that are others under a second name: exported programs keep that name, and decompose to the first."""

__all__ = ["SPECIAL", "SYNONYMS"]

SYNONYMS = {
    "absolute": "abs", "negative": "neg", "multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div", "concat": "cat",
    "concatenate": "cat", "clip": "clamp", "greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "not_equal": "ne",
    "swapaxes": "transpose", "swapdims": "transpose", "moveaxis": "movedim", "arccos": "acos", "arcsin": "asin", "arctan": "atan",
    "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh", "arctan2": "atan2", "fix": "trunc", "inverse": "linalg_inv",
    "ger": "outer", "row_stack": "vstack",
}  # fmt: skip
"""Name of an operator -> the name of the one that computes the same, with the same arguments."""
SPECIAL = {
    "special_expit": "sigmoid", "special_exp2": "exp2", "special_expm1": "expm1", "special_log1p": "log1p", "special_erf": "erf",
    "special_erfc": "erfc", "special_erfinv": "erfinv", "special_logsumexp": "logsumexp", "special_softmax": "softmax",
    "special_log_softmax": "log_softmax", "special_xlogy": "xlogy", "special_sinc": "sinc", "special_gammaln": "lgamma",
    "special_digamma": "digamma", "special_psi": "digamma", "special_polygamma": "polygamma", "special_multigammaln": "mvlgamma",
    "special_i0": "i0", "special_logit": "logit", "special_gammainc": "igamma", "special_gammaincc": "igammac",
}  # fmt: skip
"""Function of ``torch.special`` -> the operator that computes the same."""
