"""The random numbers that PyTorch draws, and the draws that it refuses."""

from tests.recorded.answers import format_answers
from tests.recorded.random_numbers.cases import CLOSE, EXACT, FILE, REFUSED, SEEDS, digest, packed, refusal, run


def record(wanted):
    import torch

    if wanted(FILE.stem):
        found = {"exact": {}, "close": {}, "refused": {}}
        for kind, codes in (("exact", EXACT), ("close", CLOSE)):
            for number, code in enumerate(codes):
                seed = SEEDS[number % len(SEEDS)]
                arrays, state = run(torch, code, seed)
                found[kind][code] = [seed, packed(arrays, kind == "exact"), digest(state)]
        for code in REFUSED:
            found["refused"][code] = refusal(torch, code)[0]
            assert found["refused"][code], code
        yield FILE, format_answers(found, depth=2)
