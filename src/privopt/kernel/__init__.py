"""The kernel: how a saved policy releases d, and no more.

It imports no solver and no model: a release from a saved policy solves nothing. With
`noise.secure`, which draws, it is at most 1,500 lines, so that it can be read in an hour.
"""
