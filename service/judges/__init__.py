"""The configured judges: the local one, and a model behind the OpenAI protocol."""
