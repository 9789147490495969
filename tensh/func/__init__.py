"""torch.func: functions of functions, which differentiate and vectorise what they are given."""
