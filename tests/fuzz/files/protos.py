"""Changes to messages of protocol buffers, field by field, so that they can still be parsed."""

from tests.fuzz.files.mutators import NUMBERS, change_bytes

TEXTS = [
    "",
    "x",
    "Add",
    "If",
    "Loop",
    "Constant",
    "MatMul",
    "../x",
    "\x1b]0;x\a",
    "\u202e",
    "a" * 3000,
    "0",
    "-1",
    str(2**63),
    "__import__('os')",
]


def change_proto(parse):
    """A mutator of bytes that ``parse`` parses as a message."""

    def change(rng, data, others=()):
        try:
            message = parse(data)
        except Exception:  # DecodeError, which is in several modules
            return change_bytes(rng, data, others)
        try:
            for _ in range(rng.choice((1, 1, 2, 4))):
                fields = list_fields(message)
                if fields:
                    change_field(rng, *rng.choice(fields), fields)
        except UnicodeDecodeError:  # text that is not UTF-8 is parsed, but cannot be read
            return change_bytes(rng, data, others)
        return message.SerializeToString()

    return change


def list_fields(message):
    """Every (message, descriptor of a field that is set) in a message."""
    found, waiting = [], [message]
    while waiting:
        owner = waiting.pop()
        for field, value in owner.ListFields():
            found.append((owner, field))
            if field.message_type:
                waiting += value if is_repeated(field) else [value]
    return found


def is_repeated(field):
    """Return True for a list; older versions of protobuf have a label for it."""
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


def change_field(rng, owner, field, fields):
    """Clear a field, overwrite it, or repeat, move or remove one of its values."""
    if rng.random() < 0.1:
        owner.ClearField(field.name)
    elif not is_repeated(field):
        if not field.message_type:
            put(rng, field, lambda value: setattr(owner, field.name, value), getattr(owner, field.name), fields)
    else:
        change_values(rng, getattr(owner, field.name), field, fields)


def change_values(rng, values, field, fields):
    """Change the values of a repeated field."""
    place = rng.randrange(len(values))
    match rng.randrange(4):
        case 0:
            del values[place]
        case 1:
            values.extend([values[place]] * rng.choice((1, 1, 3, 50)))
        case 2:
            moved = sorted(values, key=lambda _: rng.random())
            copies = [type(each).FromString(each.SerializeToString()) if field.message_type else each for each in moved]
            del values[:]
            values.extend(copies)
        case _ if not field.message_type:
            put(rng, field, lambda value: values.__setitem__(place, value), values[place], fields)


def put(rng, field, write, there, fields):
    """Write another value of the same type, unless it is outside the range of the field."""
    if isinstance(there, str):
        names = [
            getattr(owner, each.name) for owner, each in fields if each.type == field.type and not is_repeated(each)
        ]
        value = rng.choice([*TEXTS, *names])
    elif isinstance(there, bytes):
        value = change_bytes(rng, there)
    elif isinstance(there, float):
        value = rng.choice([0.0, -1.0, 1e30, float("nan"), float("inf")])
    else:
        value = rng.choice([*NUMBERS, -1, -(2**31), -(2**63)])
    try:
        write(value)
    except (ValueError, TypeError, OverflowError):  # an enumeration, or a smaller integer
        return
