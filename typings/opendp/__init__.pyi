"""OpenDP has no types; `privopt.secure` is its only caller."""
