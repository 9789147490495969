"""Values as the prompt and notebooks print them: the text, the line below, and the value as HTML."""
