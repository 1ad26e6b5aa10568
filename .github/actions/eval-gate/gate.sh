#!/usr/bin/env bash
# Runs `sqlassay eval run` with the inputs of the action, and shows what the gate found on the page of the job.
set -euo pipefail

if [ "$INPUT_INSTALL" = ACTION ]; then
  python -m pip install --quiet "$GITHUB_ACTION_PATH/../../..[learn,verify]"
elif [ -n "$INPUT_INSTALL" ]; then
  python -m pip install --quiet "$INPUT_INSTALL"
fi

arguments=(--benchmark "$INPUT_BENCHMARK" --backend "$INPUT_BACKEND" --out "$INPUT_OUT" --junit "$INPUT_OUT/junit.xml")
add() { [ -z "$2" ] || arguments+=("$1" "$2"); }
add --predictions "$INPUT_PREDICTIONS"
add --databases "$INPUT_DATABASES"
add --schemas "$INPUT_SCHEMAS"
add --fail-on-regression "$INPUT_FAIL_ON_REGRESSION"
read -ra thresholds <<<"${INPUT_FAIL_UNDER//$'\n'/ }"
for threshold in "${thresholds[@]}"; do add --fail-under "$threshold"; done
while IFS= read -r word; do [ -z "$word" ] || arguments+=("$word"); done <<<"$INPUT_OPTIONS"

found=$(mktemp)
code=0
sqlassay eval run "${arguments[@]}" 2>"$found" || code=$?
cat "$found" >&2
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  { echo '### SQLAssay evaluation gate'; echo '```text'; cat "$found"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
