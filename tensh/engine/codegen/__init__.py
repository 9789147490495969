"""Declarations of operators, and the code generated from them: functions, derivatives, in-place forms."""
