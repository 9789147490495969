"""Names of functions that several modules of torch have: which one is meant follows from how it is called."""

import ast

from tensh.explain.model import Explanation, Fit
from tensh.support.language import _


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
