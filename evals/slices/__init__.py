"""Where an agent loses most: its answers by table, column, condition, question and version, with tests for many."""
