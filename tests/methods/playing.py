"""A method run by hand."""

from trove_lite.methods.base import Answer


def played(steps, sent_back):
    """Run a method's steps to their end: the answers given. `sent_back`: what a list of requests is answered with."""
    sent, answers = None, []
    while True:
        try:
            wanted = steps.send(sent)
        except StopIteration:
            return answers
        if isinstance(wanted, Answer):
            answers.append(wanted)
            sent = None
        else:
            sent = sent_back(wanted)
