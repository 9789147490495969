"""Tests of torch.utils: loaders, checkpointing, safetensors."""
