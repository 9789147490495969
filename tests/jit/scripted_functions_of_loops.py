"""Scripts with loops that are left by ``break`` and ``continue``."""


def break_and_continue(x: int):
    s = 0
    for i in range(10):
        if i == 2:
            continue
        if i > x:
            break
        s += i
    return s


def break_and_continue_over_lists(x: list[list[int]]):
    s = 0
    for v in x:
        for w in v:
            if w == 0:
                break
            if w < 0:
                continue
            s += w
        if s > 20:
            break
    return s


LOOPS = (break_and_continue, break_and_continue_over_lists)
