"""Programs that try to do harm, and the proof that the sandbox contains each of them.

`programs/*.txt` hold the programs, `world.py` the decoys that they attack, `runner.py` runs one at
a time and looks for damage, `cell.py` makes a throw-away place for the weaker levels, where the
programs really do what they try. `python -m benchmarks.isolation` prints what each level does not
contain.
"""
