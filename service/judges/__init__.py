"""The judges that the settings set up: the local one, and a model behind the OpenAI protocol."""
