"""torch.special: functions of mathematics.  Each is an operator of the engine, here often under another name."""

from tensh.engine.codegen.public_forms import public_object
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.methods.unsupported import unsupported_name
from tensh.engine.operators.namespaces import SPECIAL

NAMES = {
    "digamma": "digamma", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "exp2": "exp2",
    "expit": "sigmoid", "expm1": "expm1", "gammainc": "igamma", "gammaincc": "igammac", "gammaln": "lgamma", "i0": "i0",
    "log1p": "log1p", "log_softmax": "log_softmax", "logit": "logit", "logsumexp": "logsumexp",
    "multigammaln": "mvlgamma", "polygamma": "polygamma", "psi": "digamma", "round": "round", "sinc": "sinc",
    "softmax": "softmax", "xlogy": "xlogy",
}  # fmt: skip
"""torch.special.NAME -> the name in the engine; the rest is there as special_NAME."""


def entry(name):
    """Return the object that the name stands for, or None."""
    engine = NAMES.get(name, f"special_{name}")
    return SPECIAL.get(name) or PUBLIC.get(engine) or OPS.get(engine)


def __getattr__(name):
    if name == "__all__":
        return __dir__()
    if (found := entry(name)) is not None:
        value = globals()[name] = public_object(found, name, spoken=f"special_{name}", home="torch.special")
        return value
    raise unsupported_name("torch.special", name)


def __dir__():
    alone = {name.removeprefix("special_") for name in OPS if name.startswith("special_")}
    return sorted({*alone, *SPECIAL, *filter(entry, NAMES)})
