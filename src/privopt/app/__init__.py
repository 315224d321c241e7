"""Jobs: one small TOML file, or flags, that say what to release and how. Both become one `Job`.

The schema is `privopt.app.schema`; `privopt init` writes a file to start from.
"""
