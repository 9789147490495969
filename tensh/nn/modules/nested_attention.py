"""Attention of nested tensors: computed where PyTorch has a kernel, refused with PyTorch's reason elsewhere."""

from tensh.engine import find_public


def require_nested(module, query, key, value, key_padding_mask, attn_mask):
    """Raise AssertionError with the reason why nested tensors are refused."""
    why = why_not(module, query, key, value, key_padding_mask, attn_mask)
    if why:
        raise AssertionError(
            "MultiheadAttention does not support NestedTensor outside of its fast path. "
            f"The fast path was not hit because {why}"
        )


def why_not(module, query, key, value, key_padding_mask, attn_mask):
    """Return why these arguments have no kernel; "" if they have one."""
    weight, bias = module.in_proj_weight, module.in_proj_bias
    parameters = (weight, bias, module.out_proj.weight, module.out_proj.bias)
    reasons = (
        (query.dim() != 3, lambda: f"input not batched; expected query.dim() of 3 but got {query.dim()}"),
        (
            query is not key or key is not value,
            lambda: "non-self attention was used (query, key, and value are not the same Tensor)",
        ),
        (
            bias is not None and bias.dtype is not query.dtype,
            lambda: f"dtypes of query ({query.dtype}) and self.in_proj_bias ({bias.dtype}) don't match",
        ),
        (weight is None, lambda: "in_proj_weight was None"),
        (
            weight is not None and weight.dtype is not query.dtype,
            lambda: f"dtypes of query ({query.dtype}) and self.in_proj_weight ({weight.dtype}) don't match",
        ),
        (module.training, lambda: "training is enabled"),
        (module.num_heads % 2, lambda: "self.num_heads is not even"),
        (not module.batch_first, lambda: "batch_first was not True"),
        (module.bias_k is not None, lambda: "self.bias_k was not None"),
        (module.bias_v is not None, lambda: "self.bias_v was not None"),
        (module.add_zero_attn, lambda: "add_zero_attn was enabled"),
        (key_padding_mask is not None or attn_mask is not None, lambda: BOTH_MASKS),
        (query.layout is not find_public("strided"), lambda: "some Tensor argument has_torch_function"),
        (
            find_public("is_grad_enabled")()
            and any(each is not None and each.requires_grad for each in (query, *parameters)),
            lambda: (
                "grad is enabled and at least one of query or the input/output projection weights or biases requires_grad"
            ),
        ),
    )
    return next((text() for refused, text in reasons if refused), "")


BOTH_MASKS = f"supplying both src_key_padding_mask and src_mask at the same time {' ' * 33}is not supported with NestedTensor input"
