"""torch.special: functions of mathematics.  Each is an operator of the engine, here often under another name."""

from tensh.engine.table import OPS, PUBLIC, function

NAMES = {
    "digamma": "digamma", "entr": "entr", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "exp2": "exp2",
    "expit": "sigmoid", "expm1": "expm1", "gammaln": "lgamma", "log1p": "log1p", "log_softmax": "log_softmax",
    "logit": "logit", "logsumexp": "logsumexp", "multigammaln": "mvlgamma", "polygamma": "polygamma", "psi": "digamma",
    "round": "round", "sinc": "sinc", "softmax": "softmax", "xlog1py": "xlog1py", "xlogy": "xlogy",
}  # fmt: skip
"""torch.special.NAME -> the name in the engine."""


def __getattr__(name):
    if name in NAMES and (entry := PUBLIC.get(NAMES[name]) or OPS.get(NAMES[name])) is not None:
        value = globals()[name] = function(entry)
        return value
    raise AttributeError(f"module 'torch.special' has no attribute '{name}'")


def __dir__():
    return sorted(name for name in NAMES if NAMES[name] in PUBLIC or NAMES[name] in OPS)
