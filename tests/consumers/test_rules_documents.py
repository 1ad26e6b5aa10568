from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from scoring.rules import JudgePolicy, Rules, Tier
from service.samples import sample_rules

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/wire/rules.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rules_are_refused_with_a_message_that_names_the_fault(case):
    with pytest.raises(InvalidRules) as refusal:
        decode_rules(case["rules"])
    assert [word for word in case["says"] if word not in str(refusal.value)] == []


def test_text_that_is_not_json_is_refused():
    with pytest.raises(InvalidRules, match="not JSON"):
        decode_rules(b"{")


def test_no_keys_are_the_built_in_default():
    assert decode_rules({}).rules(0) == Rules()


def test_every_key_reaches_the_scorer():
    rules = RulesDocument.model_validate(
        {
            "column_mappings": {"Oven  Type": "Type_Code"},
            "benign_filters": ["is_open = 1 AND kind = 'shop'"],
            "ignore_filters": ["Branch_ID"],
            "decision_rules": ["key_unasked AND NOT filter_extra: 0.8"],
            "lambda_min": 50,
            "tiers": {"excellent": 95, "good": 80, "marginal": 60},
            "dialect": "MySQL",
            "unparseable": "incorrect",
            "judge": {"policy": "cascade", "bar": 0.7, "budget": 3},
            "sample_rate": 0.5,
        }
    ).rules(7)
    assert dict(rules.column_mappings) == {"oven type": "type_code"}
    assert len(rules.benign_filters[0].terms) == 2
    assert rules.ignore_filters == {"branch_id"}
    assert [each.text for each in rules.decision_rules] == ["KEY_UNASKED and not FILTER_EXTRA: +0.8"]
    assert rules.tiers.tier(94) is Tier.GOOD
    assert (rules.lambda_min, rules.dialect, rules.unparseable.value) == (50, "mysql", "incorrect")
    assert (rules.judge.policy, rules.judge.bar, rules.judge.budget) == (JudgePolicy.CASCADE, 0.7, 3)
    assert (rules.sample_rate, rules.version) == (0.5, 7)


@pytest.mark.parametrize("tenant", sorted(sample_rules()))
def test_the_samples_rules_are_rules(tenant):
    assert decode_rules(sample_rules()[tenant]).rules(1).benign_filters


@pytest.mark.parametrize("named", ["branch_id", "Bakeries.Branch_ID", 'shop."Branch_ID"', "[branch_id]", "`branch_id`"])
def test_a_column_is_known_by_its_name_alone_however_it_is_written(named):
    rules = decode_rules({"ignore_filters": [named], "column_mappings": {"branch": named}}).rules(1)
    assert rules.ignore_filters == {"branch_id"}
    assert dict(rules.column_mappings) == {"branch": "branch_id"}


def test_conventions_units_and_codes_reach_the_scorer_by_the_names_that_the_reader_gives():
    stated = {"table": "shop.Bakeries", "predicate": "Closed_On IS NULL", "when": ["Open  Shops"]}
    rules = decode_rules(
        {
            "conventions": [stated, {"table": "ovens", "predicate": "bakeries.demo = 0", "required": False}],
            "units": {"Ovens.Weight_G": "Grams"},
            "codes": {"shop.Ovens.State": {"ON": "Burning", "OF": "Cold"}, "kind": {"7": "Wood"}},
        }
    ).rules(1)
    closed, demo = rules.conventions
    assert (closed.table, closed.required, closed.when) == ("bakeries", True, ("open shops",))
    assert [each.text for each in closed.terms] == ["closed_on is null"]
    assert (demo.table, demo.required, demo.when) == ("ovens", False, ())
    assert dict(rules.units) == {"ovens.weight_g": "grams"}
    assert {column: dict(codes) for column, codes in rules.codes.items()} == {
        "ovens.state": {"on": "burning", "of": "cold"},
        "kind": {"7": "wood"},
    }
