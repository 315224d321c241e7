"""How results show themselves: in words, as a table, as a picture, and in a notebook."""
