"""Other shapes over the same elements."""

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import operand, said


def reshaping(call, text):
    """As many elements as before."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    wanted = [a.value for a in call.arguments[1:]]
    wanted = list(wanted[0]) if len(wanted) == 1 and isinstance(wanted[0], list | tuple) else wanted
    if not all(isinstance(size, int) for size in wanted):
        return None
    known = 1
    for size in wanted:
        known *= size if size != -1 else 1
    count = t.value.numel()
    if wanted.count(-1) > 1:
        rule = "one size may be -1, for whatever is left; of two nobody could say which is which"
        return Explanation(call.name, (operand(t),), rule, (), f"{call.name}(-1) gives all {count} in one dimension")
    rule = f"{said(t)} has {count} elements, {wanted} {'needs a multiple of ' if -1 in wanted else 'has '}{known}"
    advice = None
    if -1 not in wanted and len(wanted) > 1:
        for d in range(len(wanted)):
            rest = known // wanted[d] if wanted[d] else 0
            if rest and count % rest == 0:
                sizes = [*wanted[:d], -1, *wanted[d + 1 :]]
                advice = f"{call.name}({', '.join(map(str, sizes))}) would work: it makes dim {d} {count // rest}"
                break
    elif len(wanted) == 1:
        advice = f"{call.name}(-1) gives all {count} in one dimension"
    return Explanation(call.name, (operand(t),), rule, (), advice)


def not_contiguous(call, text):
    """A view needs elements that lie one behind the other."""
    t = call.arguments[0]
    new = call.segment.replace(".view(", ".reshape(") if ".view(" in call.segment else None
    return Explanation(
        call.name, (operand(t),), f"{said(t)} does not lie in memory in the order of its elements (it was transposed, or sliced)", (),
        f"{new} copies where it must" if new else "reshape copies where it must",
    )  # fmt: skip


def expanding(call, text):
    """Only sizes of 1 can be expanded."""
    t = call.arguments[0]
    return Explanation(
        call.name,
        (operand(t),),
        "expand repeats dimensions of size 1 only, and new ones in front",
        (),
        "to repeat others: repeat or tile",
    )
