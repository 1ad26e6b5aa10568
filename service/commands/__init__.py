"""The commands, one module each; what a command needs is imported when it runs, so `--help` is quick."""
