"""Notes parts of SQL that do nothing, or more than they seem to, while it is read (`scoring/specification/voids.py`).

Change this here when such a part is not noted, or an honest one is; then a case in `tests/cases/forgeries.yaml` or
`tests/cases/harmless.yaml`. Which of them are forgeries is decided in `scoring/forgery/`.
"""
