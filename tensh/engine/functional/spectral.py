"""Short-time Fourier transforms and windows."""
