"""Steps that a query may have as a CTE, as a derived table or not at all: one specification for all."""
