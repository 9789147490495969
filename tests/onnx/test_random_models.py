"""Models that draw random numbers."""

import tensh as torch
from tests.onnx.models import load, model_of, onnx


def test_random_operators_draw_from_the_generator():
    node = onnx.helper.make_node
    nodes = [
        node("RandomNormal", [], ["a"], shape=[200, 50], mean=3.0, scale=2.0),
        node("RandomUniformLike", ["a"], ["b"], low=-1.0, high=1.0),
        node("RandomUniform", [], ["c"], shape=[200, 50], low=0.0, high=0.5, dtype=11),
        node("RandomNormalLike", ["c"], ["d"]),
        node("Bernoulli", ["c"], ["e"], dtype=7),
        node("Multinomial", ["x"], ["f"], sample_size=1000, dtype=7),
    ]
    model = load(model_of(nodes, ["x"], list("abcdef")))
    torch.manual_seed(0)
    a, b, c, d, e, f = model(torch.tensor([[0.0, 1.0986123, -100.0]]))
    assert abs(a.mean() - 3) < 0.1 and abs(a.std() - 2) < 0.1 and -1 <= b.min() < -0.99 and 0.99 < b.max() <= 1
    assert c.min() >= 0 and c.max() <= 0.5 and c.dtype == d.dtype == torch.float64 and abs(d.std() - 1) < 0.05
    assert e.dtype == f.dtype == torch.int64 and abs(e.double().mean() - 0.25) < 0.03
    assert abs(f.double().mean() - 0.75) < 0.05 and f.max() == 1 and f.shape == (1, 1000)


def test_programs_that_draw_random_numbers_run_elsewhere():
    def program(x):
        several = (
            torch.rand(x.size(0), 500),
            torch.randn_like(x) * 2 + 1,
            torch.randint(3, 9, (1000,)),
            torch.bernoulli(x * 0 + 0.3),
        )
        return (
            *several,
            torch.multinomial(x.abs().softmax(-1), 3, replacement=True),
            torch.normal(2.0, 0.5, (1000,)),
            torch.rand(()),
        )

    made = torch.onnx.export(program, torch.randn(4, 500), dynamic_axes={"x": {0: "rows"}})
    torch.manual_seed(0)
    for results in (made(torch.randn(6, 500)), load(made.model_proto)(torch.randn(6, 500))):
        u, n, i, b, m, g, one = results
        assert [each.dtype for each in results] == [torch.float32] * 2 + [torch.int64, torch.float32, torch.int64] + [
            torch.float32
        ] * 2
        assert u.shape == (6, 500) and u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 0.03
        assert abs(n.mean() - 1) < 0.2 and abs(n.std() - 2) < 0.2 and abs(b.mean() - 0.3) < 0.05
        assert (
            i.unique().tolist() == list(range(3, 9))
            and m.shape == (6, 3)
            and abs(g.mean() - 2) < 0.1
            and one.shape == ()
        )
