"""The commands, one module each; what a command needs is imported when it runs, so `--help` is quick.

Change this here when it concerns:

- a command or option: options: `service/commands/options.py`, or the `…_options.py` in the folder of a group;
  commands: `cli.py`, or the group's `app.py`, which name the module that runs each; then `docs/commands.md`
"""
