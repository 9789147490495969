"""What the dtypes of few bits compute and refuse: complex32 and the floats of eight bits."""

import pytest

import tensh as torch

CASES = {
    "half": {
        "x.isreal().tolist()": "[True, False, False]",
        "x.count_nonzero().item()": "2",
        "x.all().item()": "False",
        "x[1:].all().item()": "True",
        "x.bool().tolist()": "[False, True, True]",
        "torch.empty(2, dtype=x.dtype).normal_().dtype": "torch.complex32",
        "(x * 2).dtype": "torch.complex32",
        "x.exp()": "\"exp_vml_cpu\" not implemented for 'ComplexHalf'",
        "x / x": "\"div_cpu\" not implemented for 'ComplexHalf'",
        "torch.addcdiv(x, x, x)": "\"addcdiv_cpu_out\" not implemented for 'ComplexHalf'",
        "x.logcumsumexp(0)": "\"logcumsumexp_out_cpu\" not implemented for 'ComplexHalf'",
        "torch.logical_and(x, x)": "\"logical_and_cpu\" not implemented for 'ComplexHalf'",
        "torch.linalg.matrix_rank(x.diag())": "This function doesn't handle types other than float and double",
        "torch.stft(x, 3, 1, center=False)": "MKL FFT doesn't support tensors of type: Half",
    },
    "eight": {
        "x.abs().tolist()": "[1.0, 2.0, 4.0]",
        "(x == 2).tolist()": "[False, True, False]",
        "x.float().tolist()": "[-1.0, 2.0, 4.0]",
        "x.erf()": "\"erf_vml_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.floor()": "\"floor_vml_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.clone().erfinv_()": "\"erfinv_vml_cpu\" not implemented for 'Float8_e4m3fn'",
        "torch.atan2(x, x)": "\"atan2_cpu\" not implemented for 'Float8_e4m3fn'",
        "torch.copysign(x, x)": "\"copysign_cpu\" not implemented for 'Float8_e4m3fn'",
    },
}
CALLS = [(given, code) for given, cases in CASES.items() for code in cases]


def answer(torch, given, code):
    """Return what a call gives, or the text of what it raises."""
    x = {
        "half": lambda: torch.tensor([0, 1 + 1j, 3j]).to(torch.complex32),
        "eight": lambda: torch.tensor([-1.0, 2, 4]).to(torch.float8_e4m3fn),
    }[given]()
    try:
        return str(eval(code, {"torch": torch, "x": x}))
    except (NotImplementedError, RuntimeError) as error:
        return str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("given", "code"), CALLS)
def test_few_bits(given, code):
    assert answer(torch, given, code) == CASES[given][code]


@pytest.mark.filterwarnings("ignore")
def test_few_bits_are_pytorchs(oracle):
    assert {call: answer(oracle, *call) for call in CALLS} == {call: CASES[call[0]][call[1]] for call in CALLS}
