"""`python -m privopt` is the command `privopt`."""

from privopt.cli import app

if __name__ == "__main__":
    app()
