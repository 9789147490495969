"""What the dtypes of few bits compute and refuse: complex32, bfloat16 that no integer holds, and the floats of eight bits."""

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
        "x.max()": "\"max_all\" not implemented for 'ComplexHalf'",
        "x.min(0)": "min(): does not support complex input",
        "x.amax()": "\"max_values_cpu\" not implemented for 'ComplexHalf'",
        "x.aminmax()": "\"aminmax_cpu\" not implemented for 'ComplexHalf'",
        "x.argmin()": "argmin(): does not support complex input",
        "x.median()": "\"median_cpu\" not implemented for 'ComplexHalf'",
        "x.nanmedian(0)": "\"median_out\" not implemented for 'ComplexHalf'",
        "x.mode()": "\"mode_cpu\" not implemented for 'ComplexHalf'",
        "x.cummax(0)": "\"cummax_cpu\" not implemented for 'ComplexHalf'",
        "x.sum()": "\"sum_cpu\" not implemented for 'ComplexHalf'",
        "x.mean(0)": "\"sum_cpu\" not implemented for 'ComplexHalf'",
        "x.prod()": "\"prod_out_cpu\" not implemented for 'ComplexHalf'",
        "x.cumsum(0)": "\"cumsum_out_cpu\" not implemented for 'ComplexHalf'",
        "x[:0].sum().item()": "0j",
        "torch.nn.functional.pad(x[None, None], (1, 1), mode='circular').isreal().tolist()": "[[[False, True, False, False, True]]]",
        "torch.stft(x, 3, 1, center=False)": "MKL FFT doesn't support tensors of type: Half",
    },
    "sixteen": {
        "x.byte().equal(x.float().byte())": "True",
        "x.int().equal(x.float().int())": "True",
        "torch.zeros(4, dtype=torch.int8).copy_(x).equal(x.float().char())": "True",
        "x[1:].sum(dtype=torch.uint8).equal(x[1:].float().sum(dtype=torch.uint8))": "True",
        "x[1:].cumsum(0, dtype=torch.uint8).equal(x[1:].float().cumsum(0, dtype=torch.uint8))": "True",
    },
    "eight": {
        "x.abs().tolist()": "[1.0, 2.0, 4.0]",
        "(x == 2).tolist()": "[False, True, False]",
        "x.float().tolist()": "[-1.0, 2.0, 4.0]",
        "x.erf()": "\"erf_vml_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.exp()": "\"exp_vml_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.sqrt_()": "\"sqrt_vml_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.sum(0)": "\"sum_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.nansum()": "\"nansum_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.mean()": "\"sum_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.prod(0)": "\"prod_out_cpu\" not implemented for 'Float8_e4m3fn'",
        "x.cumprod(0)": "\"cumprod_out_cpu\" not implemented for 'Float8_e4m3fn'",
        "x[:0].prod().item()": "1.0",
        "torch.nn.functional.pad(x[None, None], (1, 0), mode='circular').float().tolist()": "[[[4.0, -1.0, 2.0, 4.0]]]",
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
        "sixteen": lambda: torch.tensor([1e30, -1.5, 300.7, -128.9]).bfloat16(),
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
