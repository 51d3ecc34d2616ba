"""Large Language Models as Tool Makers: its tables from candidates and calls, and what its released tools can do."""

from .cost import PRICES, break_even, costs_figure
from .released import ceiling, errors
from .tables import differences, dispatcher, sides, table2, table3, table4, table5
