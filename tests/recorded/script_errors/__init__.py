"""What PyTorch says of scripts whose types do not fit."""
