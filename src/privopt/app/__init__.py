"""Applications: jobs, and what is done with them.

One small TOML file, or flags, say what to release and how; both become one `Job`.

The schema is `privopt.app.schema`; `privopt init` writes a file to start from.
"""
