"""The kernel: how an instrument measures d, and no more.

It imports no solver and no model: a measurement solves nothing. With
`noise.secure`, which draws, it is at most 1,500 lines, so that it can be read in an hour.
"""
