"""A failure as the fields of a record: the same facts as on the screen."""


def fields(failure, where):
    """Return the fields of a failure; `where` gives the fields of a place."""
    return {
        **(where(failure.places[0]) if failure.places else {"file": None, "line": None}),
        "type": failure.kind or type(failure.error).__name__,
        "message": failure.message,
        **columns(failure.places[0] if failure.places else None),
        **explanation(failure),
        "locals": [each._asdict() for each in failure.local],
        "suggestion": failure.suggestion,
        "notes": failure.notes,
        "frames": [frame(place, where) for place in failure.places],
        "cause": failure.cause and fields(failure.cause, where),
        "reason": failure.reason,
    }


def explanation(failure):
    """Return the operands and, if the engine knows it, the rule that they broke."""
    found = failure.explanation
    operands = found.operands if found else failure.operands
    return {
        "op": found and found.operation,
        "operands": [
            {"name": each.text if found else each.name, "shape": list(each.shape), "dtype": each.dtype}
            for each in operands
        ],
        "rule": found and found.rule,
        "fits": [{"code": fit.text, "result": fit.result} for fit in (found.fits if found else ())],
        "advice": found and found.advice,
        "then": found and found.then,
        "made": [{"name": name, "line": line} for name, line in (found.made if found else ())],
        "loop": dict(zip(("line", "iteration"), found.turn, strict=True)) if found and found.turn else None,
    }


def frame(place, where):
    """Return the fields of a stack frame."""
    return where(place) | columns(place) | {"function": place.function, "code": place.text}


def columns(place):
    """Return the fields for where the code of a place begins and ends."""
    return {name: getattr(place, field, None) for name, field in COLUMNS.items()}


COLUMNS = {"col": "column", "end_line": "end_line", "end_col": "end_column"}
