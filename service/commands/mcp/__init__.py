"""`sqlassay mcp`: scoring as tools of the Model Context Protocol."""
