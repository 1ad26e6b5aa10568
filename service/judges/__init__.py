"""The configured judges: the local one, and a model behind the OpenAI protocol.

Change this here when it concerns:

- how a model server is asked: its protocol, parameters that it refuses, its errors:
  `service/judges/request_forms.py`, `completions.py`, `server_errors.py` there; then
  `tests/service/test_model_servers.py`
"""
