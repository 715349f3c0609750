"""`python -m rememora` is the command line."""

from rememora.command import main

if __name__ == "__main__":
    main()
