"""The OpenAPI and AsyncAPI contracts that other teams build against."""
