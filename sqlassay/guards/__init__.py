"""Guards for agents: SQL that scores badly goes back to the model, with the reasons, before it is used.

One module for each framework: `pydantic_ai`, `langchain` and `openai_agents`.
"""
