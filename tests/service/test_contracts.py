from __future__ import annotations

import pytest

from service.contracts import CONTRACTS, FOLDER, written


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_contract_checked_in_is_what_the_code_says(name):
    current = written(CONTRACTS[name]())
    assert (FOLDER / name).read_bytes() == current, f"docs/contracts/{name} is out of date: run make contracts"


def test_no_other_contract_lies_there():
    assert {path.name for path in FOLDER.iterdir()} == set(CONTRACTS)
