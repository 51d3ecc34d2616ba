"""Money as a measure: `$75`, `75 cents` and `US$ 0.75` are amounts of one currency; no two currencies
are told into one another."""

#: As `units.TABLE`.
TABLE = """
usd 1: usd 1 dollar 1 buck 1 cent 1/100 penny 1/100 pennie 1/100
eur 1: eur 1 euro 1
gbp 1: gbp 1 quid 1 pence 1/100
jpy 1: jpy 1 yen 1
inr 1: inr 1 rupee 1
"""
SYMBOLS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "¢": "cents"}
AMOUNT = r"-?(?:\d+(?:[.,]\d+)*|\.\d+)(?: ?(?:thousand|million|billion|trillion)\b)?"
AGAIN = r"(?: (?:dollars?|euros?|pounds?|usd|eur|gbp|yen)\b)?"
#: A symbol or code before or behind an amount → the word behind it.
AS_WORDS = (
    (
        rf"(-?)(?:\b(?:us|a|c))?(?<!\$)([$€£¥₹¢]) ?({AMOUNT}){AGAIN}",
        lambda found: f"{found[1]}{found[3]} {SYMBOLS[found[2]]}",
    ),
    (r"(?<=\d) ?([€£¥₹¢])", lambda found: f" {SYMBOLS[found[1]]}"),
    (r"^([^$]*\d) ?\$(?!\w)([^$]*)$", r"\1 usd\2"),
    (rf"\b(usd|eur|gbp|jpy|inr) ?({AMOUNT})", r"\2 \1"),
)
