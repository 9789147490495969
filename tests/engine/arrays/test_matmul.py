"""Matrix products: when the memory is filled in which BLAS orders factors anew."""

import pytest

import tensh as torch
from tensh.engine.arrays import matmul

PRODUCTS = {  # name -> a product that BLAS orders factors for
    "matrices": lambda: torch.ones(64, 64) @ torch.ones(64, 64),
    "stacks": lambda: torch.ones(2, 64, 64) @ torch.ones(2, 64, 64),
    "shared by threads": lambda: torch.ones(256, 256) @ torch.ones(256, 256),
    "convolution": lambda: torch.conv2d(torch.ones(2, 16, 32, 32), torch.ones(16, 16, 3, 3)),
    "lstm": lambda: torch.nn.LSTM(32, 32)(torch.ones(32, 4, 32)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_memory_of_blas_is_filled_once_before_a_product_that_uses_it(name, monkeypatch):
    filled, fill = [], matmul.workspaces.fill
    monkeypatch.setattr(matmul.workspaces, "filled", 0)
    monkeypatch.setattr(matmul.workspaces, "fill", lambda number: (filled.append(number), fill(number)))
    for _ in range(2):
        PRODUCTS[name]()
    assert filled == sorted(set(filled)) != []


def test_small_products_fill_no_memory(monkeypatch):
    monkeypatch.setattr(matmul.workspaces, "filled", 0)
    torch.ones(8, 8) @ torch.ones(8, 8)
    assert matmul.workspaces.filled == 0


@pytest.mark.parametrize("rows", [2, 16, 64, 65])
@pytest.mark.parametrize("layer", [(256, 784), (256, 200), (130, 2048), (128, 127)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_few_rows_by_a_transposed_matrix(rows, layer, dtype):
    torch.manual_seed(0)
    x, w = torch.rand(rows, layer[1], dtype=dtype), torch.rand(*layer, dtype=dtype)
    product = x @ w.T
    exact = x.numpy().astype("f8") @ w.numpy().astype("f8").T
    torch.testing.assert_close(product, torch.from_numpy(exact).to(dtype), rtol=3e-6, atol=0)  # some 20 roundings
    assert product.is_contiguous()
