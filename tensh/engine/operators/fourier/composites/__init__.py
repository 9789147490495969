"""torch.fft, short-time transforms and windows."""
