"""What SQL expressions come to, as the dialect has it: the one evaluator under all that folds or tries them."""
