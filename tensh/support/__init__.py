"""What any part of tensh may use, and what knows nothing of tensors: text that people read, files, and names."""
