"""Reads the rules of a stored row: the document, with the schema, calibration and learned rules in force with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from sqlalchemy import and_, select, tuple_

from consumers.wire.learned_rules_document import LearnedRulesDocument
from consumers.wire.rules_document import RulesDocument
from consumers.wire.schema_document import SchemaDocument
from scoring.calibration import TenantCalibration
from scoring.learned_rules import LearnedRules
from scoring.rules import Rules
from service.logs import log
from service.storage.tables import TENANT_CALIBRATIONS, TENANT_LEARNED_RULES, TENANT_RULES, TENANT_SCHEMAS


def versions_with_parts(wanted: list[tuple[str, int]]) -> Any:
    """These versions, with the schema, the calibration and the learned rules that each names."""
    table, schemas = TENANT_RULES.c, TENANT_SCHEMAS.c
    lines, learned = TENANT_CALIBRATIONS.c, TENANT_LEARNED_RULES.c
    its_schema = and_(schemas.tenant == table.tenant, schemas.version == table.schema_version)
    its_line = and_(lines.tenant == table.tenant, lines.version == table.calibration_version)
    its_learned = and_(learned.tenant == table.tenant, learned.version == table.learned_version)
    of_line = (lines.judge, lines.evaluator_version, lines.intercept, lines.slope, table.calibration_version)
    of_learned = (learned.document.label("learned"), table.learned_version)
    joined = TENANT_RULES.outerjoin(TENANT_SCHEMAS, its_schema).outerjoin(TENANT_CALIBRATIONS, its_line)
    return (
        select(table.tenant, table.version, table.document, schemas.document.label("schema"), *of_line, *of_learned)
        .select_from(joined.outerjoin(TENANT_LEARNED_RULES, its_learned))
        .where(tuple_(table.tenant, table.version).in_(wanted))
    )


def with_learned_parts(rules: Rules, row: Any) -> Rules:
    """The rules with the calibration and the learned rules of their row."""
    if row.judge is not None:
        rules = replace(rules, calibration=calibration_of(row))
    return rules if row.learned is None else replace(rules, learned=_learned_of(row))


def calibration_of(row: Any) -> TenantCalibration:
    """The calibration in a row with its columns and `calibration_version`."""
    return TenantCalibration(
        version=row.calibration_version,
        judge=row.judge,
        evaluator=row.evaluator_version,
        intercept=row.intercept,
        slope=row.slope,
    )


def _learned_of(row: Any) -> LearnedRules | None:
    """The learned rules of a row; none where they cannot be read: answers are then judged without them."""
    try:
        return LearnedRulesDocument.model_validate(row.learned).learned(row.learned_version)
    except (ValidationError, ValueError) as error:
        log.error("learned_rules_unreadable", tenant=row.tenant, version=row.learned_version, error=str(error))
        return None


def stored_rules(document: Mapping[str, object], version: int, schema: Mapping[str, object] | None) -> Rules:
    """The rules of a stored document with the schema of a stored one."""
    rules = RulesDocument.model_validate(document).rules(version)
    return (
        rules if schema is None else replace(rules, schema=SchemaDocument.model_validate(schema).schema_of_database())
    )
