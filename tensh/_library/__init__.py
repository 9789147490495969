"""Operators of the user's own, as ``torch.library`` makes them: ``schema``, the operator (``custom_ops``), its checks (``opcheck``)."""
