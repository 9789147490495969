"""Scripts as TorchScript code and files."""
