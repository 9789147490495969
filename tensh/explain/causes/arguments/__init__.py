"""Arguments of the wrong kind: a tensor for a list, a text for a number, a model for its optimizer.

Each kind is a function of the situation and of the failed call, listed in the ``KINDS`` of its module.
"""

import ast

from tensh.explain.causes.arguments import (
    elements,
    elsewhere,
    models,
    optimizers,
    places,
    ranges,
    settings,
    several,
    sizes,
)
from tensh.explain.situation import first_explanation

MODULES = several, optimizers, places, ranges, settings, models, elements, sizes, elsewhere
"""The modules that list kinds, in the order in which they are tried."""
KINDS = [kind for module in MODULES for kind in module.KINDS]


def explain_argument(situation):
    """Return the Explanation of the first kind that applies."""
    node = next((each for each in reversed(situation.place.path()) if isinstance(each, ast.Call)), None)
    if node is None:
        return None
    return first_explanation(KINDS, situation, node)
