"""Changes to any bytes, and to lines of text."""

import struct

NUMBERS = [0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 255, 256, 1000, 2**15, 2**16 - 1, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**40,
           2**61 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1]  # fmt: skip
FORMS = [struct.Struct(form) for form in ("<I", "<Q", "<H", "<q", ">I")]


def change_bytes(rng, data, others=()):
    """Flip bytes, take some out, double them, cut the file off, take some from another, or put in a number."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        place, length = rng.randrange(len(data) + 1), rng.randint(1, 30)
        match rng.randrange(7):
            case 0:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length] * rng.choice((1, 2, 50))
            case 3:
                data[place : place + length] = rng.randbytes(length)
            case 4:
                size = rng.choice(FORMS).size
                data[place : place + size] = rng.choice(NUMBERS).to_bytes(9, "little")[:size]
            case 5 if others:
                other = rng.choice(others)
                begin = rng.randrange(len(other) + 1)
                data[place:place] = other[begin : begin + rng.randint(1, 200)]
            case _ if rng.random() < 0.2:
                del data[place:]
        if not data:
            break
    return bytes(data)


# ── text ─────────────────────────────────────────────────────────────────────

WORDS = {
    "python": r"""( [ { ) ] } ''' " \ : lambda if while def class async await return yield import from @ := ** // ~ -1 0x 1e999 %time
        %%time ? ?? ! # %% #> #: # -*- coding:utf-16 -*- \x00 \ud800 ù f"{ {x!r} match case: global __import__('os').system('x') ;""".split(),
    "markdown": """``` ```` ~~~ ```python ```text >>> ... <!-- --> <!--cell <!--/cell {" [raw] [markdown] [999999999] :--- > - # | \\
        {"outputs":[{"kind":"value","lines":9}]} {"metadata":{"tensh":1}}""".split(),
    "lesson": """#? #! ____ | #?shape #?dtype #?value #?grad #?fails #?complete \x1b]0;x\a \u202e # ## ### <!-- --> **a** `b` - 1. > |
        ```python ```""".split(),
    "answers": """
        1: 2: 999999: lesson: lesson:../../x # (2,3) 2x3 [[1,2]]*[[1],[2]] 9**9**9 10**50 1e999 inf nan 0x7f None yes no
        torch.Size([2]) float32 乘 、 −1 sqrt(2) size 1;2 __import__('os')
    """.split(),
    "toml": """= [ ] { } " ''' \""" # . , 1e999 0x 0b1 inf nan -1 true 1979-05-27 99999999999999999999 [[a]] a.b.c "\\u0000" """.split(),
    "history": [">>> ", "... ", ">>>", "...", "\0", "\r", "\x1b]0;x\a", "\ufeff"],
    "numbers": """
        1e999 -inf nan 0x7f 1e-400 [ ] ( ) tensor dtype=torch.float16 ... 10:10:10 ms µs Elapsed: <function a.b at>
    """.split(),
}  # fmt: skip
REPEATED = [  # harmless once; thousands in a row are deep, long or slow to match
    "(", "[", "{", "a", " ", "\t", "-", "\\", "`", "~", "#", '"', "1", "é", "\n", "x.", "not ", "x?\n", ">>> \n", "<!-- cell -->\n",
]  # fmt: skip


def change_text(words):
    """A mutator that puts words between lines, moves lines, and repeats characters."""

    def change(rng, data, others=()):
        if rng.random() < 0.3:
            return change_bytes(rng, data, others)
        lines = data.split(b"\n")
        for _ in range(rng.choice((1, 1, 2, 4))):
            place = rng.randrange(len(lines) + 1)
            line = lines[min(place, len(lines) - 1)] if lines else b""
            at = rng.randrange(len(line) + 1)
            match rng.randrange(7):
                case 0:
                    lines[place : place + 1] = [
                        line[:at] + rng.choice(words).encode("utf-8", "surrogatepass") + line[at:]
                    ]
                case 1:
                    lines.insert(
                        place,
                        b" ".join(rng.choice(words).encode("utf-8", "surrogatepass") for _ in range(rng.randint(1, 4))),
                    )
                case 2:
                    del lines[place : place + rng.randint(1, 3)]
                case 3:
                    lines[place:place] = lines[rng.randrange(len(lines) + 1) :][: rng.randint(1, 5)] * rng.choice(
                        (1, 1, 2, 20)
                    )
                case 4:
                    count = rng.choice((3, 30, 300, 300, 5000))
                    lines[place : place + 1] = [line[:at] + rng.choice(REPEATED).encode() * count + line[at:]]
                case 5:
                    lines[place : place + 1] = [b" " * rng.choice((1, 4, 8, 200)) + line]
                case _ if others:
                    other = rng.choice(others).split(b"\n")
                    begin = rng.randrange(len(other))
                    lines[place:place] = other[begin : begin + rng.randint(1, 8)]
        return rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines)

    return change
