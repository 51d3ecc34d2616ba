# The text after this heading runs in the sandbox after a user's block: it converts as the released program does,
# and prints JSON, since so answers are compared there. `_slots`: whether the task's answers are time slots.
# ruff: noqa: F821

_answer = globals()[_variable]
if _slots and isinstance(_answer, (list, tuple)):
    _answer = f"{_answer[0]} - {_answer[1]}"
else:
    _letters = "ABCDEFGHIJ"
    _labels = {
        key: f"({_letters[i]})"
        for i in range(10)
        for key in (i + 1, _letters[i], f"({_letters[i]})")
    }
    if _options and _answer not in _labels and _answer not in _labels.values():
        _answer = next((option.split(" ")[0] for option in _options if _answer in option), _answer)
    _answer = _labels.get(_answer, _answer)
_sys.stdout = _printed
print(None if _slots and _answer is None else _json.dumps(str(_answer)))
