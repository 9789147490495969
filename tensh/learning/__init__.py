"""Questions about code, and answers judged by their value: for lessons and for `%predict`.

`facts` is what is true of a value, `reading` makes a value of what was typed without running it, `judging` compares the
two, and `hints` looks at how they differ.
"""
