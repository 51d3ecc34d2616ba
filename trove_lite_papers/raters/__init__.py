"""Verification by people: pages for raters who say whether programs are right, and what their
answers show.

A study is a folder: `pages/`, one self-contained page a rater, to be sent; `key.csv`, which program
is whose, and `study.json`, to be kept. Nothing on a page says which method wrote a program, or
whether it is right.
"""
