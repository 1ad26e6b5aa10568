"""The plans of slow statements, also of one whose table is gone by then."""

from __future__ import annotations

from sqlalchemy import text

from service.commands.bench.slow_statements import SlowStatements


async def test_a_statement_whose_table_was_dropped_says_so_and_keeps_no_plan_back(engine):
    slow = SlowStatements(engine, 0.0)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE ovens_of_october AS SELECT 1 AS oven"))
        with slow.noting():
            await connection.execute(text("SELECT oven FROM ovens_of_october"))
            await connection.execute(text("SELECT 7 AS loaves"))
        await connection.execute(text("DROP TABLE ovens_of_october"))
    said = "\n".join(await slow.plans())
    assert "no plan: " in said
    assert '"ovens_of_october" does not exist' in said
    assert "SELECT 7 AS loaves\nResult" in said
