"""Questions about code, and answers judged by their value: for lessons and `%predict`.

`facts` states what is true of a value, `reading` evaluates typed answers without running them, `judging` compares the
two, and `hints` describes how they differ.
"""
