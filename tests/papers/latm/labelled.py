"""Runs of LATM by scripted models, one a role. It imports no plug-in: other tests use it, too."""

from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ...scripted import InlineSandbox, Pack, ScriptedModel

TOOL = "```python\ndef f(text):\n    return text\n```"
REPLIES = {
    "maker": [
        TOOL,
        "```python\nassert f('a') == 'a'\n```",
        f"{TOOL}\nQuestion: 1\n```python\nans = f('1')\n```",
    ],
    "user": ["Solution:\n```python\nret = f('14')\nans = ret\n```\nQuestion: and so on"],
}


class Role(ScriptedModel):
    """A model that says what its role says: of a chat, the reply that is its turn."""

    def __init__(self, role, delay=0.0):
        super().__init__(delay)
        self.name = role
        self.replies = REPLIES[role]
        self.read = []
        self.drawn = []

    async def complete(self, prompt, seeds, *, sampling=None):
        self.read.append(prompt)
        self.drawn.append(sampling)
        turn = sum(message.role == "assistant" for message in prompt)
        (made,) = await super().complete(str(prompt), seeds)
        return [made._replace(text=self.replies[turn])]


def run(out, dataset=None, roles=("maker", "user"), sandbox=None, solver=None, **given):
    usual = {
        "name": "test",
        "methods": ("latm",),
        "dataset": "bbh_made",
        "categories": ("chinese_remainder",),
    }
    usual |= {"seeds": (0,), "k": 1, "limit": 4, "model": "scripted", "prompts": "own"}
    models = {role: Role(role) for role in roles}
    fakes = {
        "model": solver or ScriptedModel(),
        "roles": models,
        "sandbox": sandbox or InlineSandbox(),
        "pack": Pack(),
    }
    return live_run(
        RunSettings(**usual | given), out, dataset=dataset, progress=False, **fakes
    ), models
