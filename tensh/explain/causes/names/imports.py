"""Imports that are missing: of a function that several modules of torch have, and of packages that are not installed."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.support.language import _

PACKAGES = {
    "PIL": "pillow", "bs4": "beautifulsoup4", "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "yaml": "pyyaml", **{name: name for name in ("einops", "h5py", "matplotlib", "pandas", "scipy", "seaborn", "tqdm")},
}  # fmt: skip
"""Well-known modules, and the packages that install them."""

OTHERS = (
    "tensorflow",
    "keras",
    "jax",
    "flax",
    "optax",
    "haiku",
    "mxnet",
    "paddle",
    "theano",
    "cupy",
    "tinygrad",
    "mindspore",
)
"""Libraries in place of which programs import torch here."""


def explain_missing_package(situation):
    """Explain `import pandas` where it is not installed."""
    error = situation.error
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if name in OTHERS:
        rule = _("{name} is another library of tensors: programs here are written with torch").format(name=name)
        return Explanation("import", (), rule, (Fit("import torch", "", situation.place.line),))
    package = PACKAGES.get(name)
    if package is None:
        return None
    rule = _("{name} is not installed beside tensh").format(name=name)
    return Explanation("import", (), rule, (), _("in a terminal: pip install {package}").format(package=package))


def explain_unimported(situation):
    """Explain `grad(f)(x)` and `grad(y, x)` without an import of grad."""
    tree, error = situation.place.tree(), situation.error
    if not isinstance(error, NameError) or error.name != "grad" or tree is None:
        return None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    is_function = any(isinstance(each.func, ast.Call) and ast.unparse(each.func.func) == "grad" for each in calls)
    is_called = any(ast.unparse(each.func) == "grad" and len(each.args) > 1 for each in calls)
    if is_function == is_called:
        return None
    module = "torch.func" if is_function else "torch.autograd"
    rule = _("grad is a function of {module}, which was not imported").format(module=module)
    first = next((each.lineno for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)), 1)
    return Explanation("name", (), rule, (Fit(f"from {module} import grad", "", first, "before"),))
