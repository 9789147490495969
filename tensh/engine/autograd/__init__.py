"""Autograd as users call it: recording modes, custom functions, saved-tensor hooks, anomaly detection."""
