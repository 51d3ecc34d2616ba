# The text after this heading runs in the sandbox after a user's block: an option's number, label or text is its label.
# ruff: noqa: F821

_answer = globals()[_variable]
if _options and isinstance(_answer, int) and not isinstance(_answer, bool) and 1 <= _answer <= len(_options):
    _answer = _options[_answer - 1][0]
elif _options and isinstance(_answer, str) and _answer.strip():
    _text = _answer.strip().casefold()
    _same = [label for label, text in _options if _text in (label.casefold(), label[1:-1].casefold(), text.casefold())]
    _within = [label for label, text in _options if _text in text.casefold()]
    _answer = next((found[0] for found in (_same, _within) if len(found) == 1), _answer)
_sys.stdout = _printed
print(_answer)
