from __future__ import annotations

from service.contracts.benchmarks_page import PAGE, RECORDS, Recorded, page


def test_the_page_of_benchmarks_is_made_of_the_recorded_results():
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/benchmarks.md is out of date: run make contracts"


def test_a_recorded_result_has_figures_or_a_table():
    for path in RECORDS.iterdir():
        recorded = Recorded.model_validate_json(path.read_bytes())
        assert recorded.figures or recorded.tables, path.name
        for table in recorded.tables:
            assert {len(row) for row in table.rows} == {len(table.head)}, path.name
