"""Notes below PyTorch's warnings."""

import pytest

from tests.cli.session.test_teaching import notes

WITHOUT_DIM = {
    "F.softmax(torch.ones(4, 3))": (
        "dim=1 was chosen, because torch.ones(4, 3) has 2",
        "F.softmax(torch.ones(4, 3), dim=-1)",
    ),
    "x = torch.ones(2, 4, 3)\nF.log_softmax(x)": ("dim=0 was chosen, because x has 3", "F.log_softmax(x, dim=-1)"),
    "nn.Sequential(nn.Softmax())(torch.ones(2, 2))": (
        "the layer has no dim",
        "create it with the dimension of the classes",
    ),
}


@pytest.mark.parametrize("code, expected", WITHOUT_DIM.items())
def test_a_softmax_without_a_dimension_is_explained(code, expected):
    (note,), (warning,) = notes(code)
    assert note["about"] == "no dim" and warning["message"].startswith("Implicit dimension choice for ")
    assert note["message"].startswith(expected[0]) and note["advice"].startswith(expected[1])
