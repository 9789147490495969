"""What a user does with autograd: recording switched off and on, functions of one's own, anomaly detection."""
