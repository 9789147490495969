"""The functions of torch.nn.functional that are made of others."""
