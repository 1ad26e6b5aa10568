"""What scoring costs, measured on texts that a generator makes as long as they may be."""
