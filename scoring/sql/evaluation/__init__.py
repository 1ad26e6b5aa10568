"""What SQL expressions come to, as the dialect has it: the one evaluator under all that folds or tries them.

Change this here when it concerns:

- what SQL values come to in a dialect: `scoring/sql/evaluation/` (`rules.py`: how dialects differ); what holds of
  columns: `scoring/sql/folding/`; then `tests/scoring/sql/value_grammar.py`: what the engines are asked
"""
