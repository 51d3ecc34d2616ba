"""When two answers are the same: reading them, and comparing value, expression, list or set. It
asks no data set."""
