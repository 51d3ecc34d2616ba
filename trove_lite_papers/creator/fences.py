"""How CREATOR's released program finds code in a reply (`utils.py`, `process_code`)."""

import re

LABEL = "```python"
END = "```"
#: A block begins one character behind its label, and ends at the next three backticks, wherever
#: these are.
BLOCK = re.compile(rf"{LABEL}.(.*?){END}", re.DOTALL)


def released_program(reply: str) -> str:
    """All blocks that are labelled `python`, one after another; "" where there is none or one is
    not closed, for then the released program runs nothing and has it repaired."""
    blocks = [block.strip() for block in BLOCK.findall(reply)]
    if not blocks or LABEL in BLOCK.sub("\n", reply):
        return ""
    return "\n\n".join(blocks) or "pass"  # a block without code runs, and prints nothing


def closed(reply: str) -> str:
    """A reply as the released program takes a tool and its use: fenced where it neither begins nor
    ends so."""
    reply = reply.strip()
    reply = reply if reply.startswith(LABEL) else f"{LABEL}\n{reply}"
    return reply if reply.endswith(END) else f"{reply}\n{END}"


def of_tool_and_use(tool: str, use: str) -> str:
    return released_program(f"{closed(tool)}\n{closed(use)}")


def of_repair(reply: str) -> str:
    """The program of a repair, whose words are code where it has no fence at all."""
    return released_program(reply if END in reply else closed(reply))


def why_nothing_ran(reply: str) -> str:
    """What the released program tells the model of a reply of which it runs nothing."""
    return "Unknown error in running subprocess" if LABEL in reply else "No code found"


def first_block(reply: str) -> str:
    """The first block labelled `python`, be it open, as the script of tool transfer takes a tool
    and its call; "" where there is none."""
    return reply.partition(LABEL)[2].partition(END)[0].strip()


def of_tool_and_call(tool: str, reply: str) -> str:
    call = first_block(reply)
    return f"{tool}\n\n{call}" if LABEL in reply else ""
