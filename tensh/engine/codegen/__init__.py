"""How an operator is declared, and what is made of it: functions, derivatives, writes in place."""
