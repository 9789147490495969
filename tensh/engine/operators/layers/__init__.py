"""What the layers of neural networks compute: convolution, pooling, normalisation, losses."""
