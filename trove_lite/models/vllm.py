"""vLLM in this process. It speaks to the engine, and knows neither prompts nor what a completion is
for.

The engine's own processes are children of this one. However this one ends, by an error, an
interrupt or a kill, while the engine starts or later, they end too.
"""

import asyncio
import ctypes
import gc
import importlib.util
import itertools
import json
import multiprocessing
import os
import signal
import time
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qsl

from ..errors import TroveLiteError
from ..shapes import once
from .base import (
    NO_MODEL,
    TOO_LONG,
    Completion,
    LanguageModel,
    ModelError,
    Prompt,
    PromptRefused,
    SamplingSettings,
    checked,
    one_line,
    sha256_of_weights,
)

#: On a CPU, chunked prefill and a seed for each request kill the engine ("CPU Generator does not
#: use offset"), the cache of keys and values would take nine tenths of the machine's memory, and
#: vLLM's own sampling half the time.
NUCLEUS = "trove_lite.models.nucleus:Nucleus"
ASKED = "nucleus"
CPU_DEFAULTS = {
    "enable_chunked_prefill": False,
    "kv_cache_memory_bytes": 2 << 30,
    "logits_processors": [NUCLEUS],
}
#: On a CPU, what its environment says unless yours does. By default vLLM keeps one core from the
#: model for the process that schedules, which spins there: of two cores the model gets one.
#: Scheduler and model in one process take turns. Threads that have done their part sleep until the
#: others have: while they spin, the others have no core.
CPU_ENVIRONMENT = {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "OMP_WAIT_POLICY": "PASSIVE"}
GRACE = 10  # seconds for the engine to end by itself
REMEDY = "pip install -e '.[vllm]', or name a running server instead, as in http://localhost:8000/v1#NAME"


class VLLM(LanguageModel):
    """A vLLM engine in this process, batching continuously whatever is asked of it at once. Enter
    it with `async with`.

    `engine_args` are vLLM's own. logprobs: whether it tells each sample's log-probability.
    """

    def __init__(
        self,
        model: str,
        settings: SamplingSettings | None = None,
        *,
        chat="auto",
        logprobs=False,
        **engine_args,
    ):
        # 0: of the token drawn alone
        self.model = model
        self.chat = chat
        self.logprobs = 0 if logprobs else None
        self.name, self.revision = name_of(model)
        self.settings = settings or SamplingSettings()
        self._engine_args = engine_args
        self._engine = None
        self._requests = itertools.count()
        self._children = set()
        self._nucleus = False  # whether our plug-in draws the tokens

    async def check(self) -> None:
        if importlib.util.find_spec("vllm") is None:
            raise TroveLiteError(f"vLLM is not installed: {REMEDY}")

    async def __aenter__(self) -> "VLLM":
        # Read by vLLM when it is imported: no usage statistics sent anywhere, no log lines through
        # progress bars.
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
        self.on_notice(
            f"vLLM starts with {self.name}: seconds to minutes, by the size of the weights"
        )
        before = set(multiprocessing.active_children())
        # In a thread, minutes as it takes: so an interrupt is heard at once. One of the pool's,
        # which lives as long as the event loop: children are killed when the thread that made them
        # ends.
        starting = asyncio.get_running_loop().run_in_executor(None, self._start)
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            while not starting.done():
                kill(set(multiprocessing.active_children()) - before)
                await asyncio.wait([starting], timeout=0.2)
            starting.exception()  # looked at, or the event loop would print it
            if self._engine:
                self._engine.shutdown(timeout=0)
            self._engine = None
            raise
        finally:
            self._children = set(multiprocessing.active_children()) - before
            if self._engine is None:
                kill(self._children)
        config = self._engine.model_config
        self.context_length = config.max_model_len
        self.concurrency = self._engine.vllm_config.scheduler_config.max_num_seqs
        if imitates(str(config.dtype), self.setup()["device"]):
            self.on_notice(
                "this CPU imitates bfloat16: with ?dtype=float32 the same model is several times as fast"
            )
        return self

    def _start(self) -> None:
        """Start the engine, whose processes die with this one. (It is not returned: a frame would
        keep it for ever.)"""
        try:
            from vllm.engine.arg_utils import AsyncEngineArgs
            from vllm.v1.engine.async_llm import AsyncLLM
        except ImportError as error:
            raise TroveLiteError(
                f"vLLM cannot be imported ({one_line(error)}): {REMEDY}"
            ) from error
        try:
            self._params(0, self.settings)  # settings that vLLM refuses are no prompt's fault
            tie_processes()
            self._engine = AsyncLLM.from_engine_args(AsyncEngineArgs(**self.engine_args()))
        except Exception as error:
            raise ModelError(
                f"vLLM cannot start '{self.name}' ({one_line(error)}); see its messages above"
            ) from error

    def engine_args(self) -> dict:
        """What vLLM is started with: yours over our defaults, which on a CPU set its environment
        too."""
        from vllm.platforms import current_platform

        found = {
            "model": self.model,
            "disable_log_stats": False,
        }  # which tell how long a request waited
        if current_platform.is_cpu():
            from vllm.utils.cpu_resource_utils import get_allowed_cpu_list

            cores = {core.physical_core for core in get_allowed_cpu_list()}
            for name, value in (CPU_ENVIRONMENT | {"OMP_NUM_THREADS": str(len(cores))}).items():
                os.environ.setdefault(name, value)
            found |= CPU_DEFAULTS
        found |= self._engine_args
        self._nucleus = NUCLEUS in found.get("logits_processors", ())
        return found

    async def __aexit__(self, *_) -> None:
        engine = self._engine
        self._engine = None
        try:
            engine.shutdown(timeout=GRACE)
        finally:
            kill(self._children)
            del engine
            # it is in circles, and would complain if it met the end of the interpreter
            gc.collect()

    async def _tokens(self, prompt: Prompt):
        """What the engine reads: a text as it is, messages by the chat template up to where the
        answer begins."""
        from vllm.renderers.chat_utils import ChatTemplateResolutionError
        from vllm.renderers.params import ChatParams

        renderer = self._engine.renderer
        if isinstance(prompt, str):
            (tokens,) = await renderer.render_cmpl_async([{"prompt": prompt}])
            return tokens
        params = ChatParams(chat_template_kwargs={"add_generation_prompt": True})
        try:
            _, (tokens,) = await renderer.render_chat_async(
                [[message._asdict() for message in prompt]], params
            )
        except ChatTemplateResolutionError:
            raise TroveLiteError(
                f"the model '{self.name}' has no chat template: leave --chat at auto with a method that "
                "asks in texts, or name a model that was trained to chat"
            ) from None
        return tokens

    def identity(self) -> dict:
        import vllm

        config = self._engine.model_config
        found = {
            "name": self.name,
            "revision": self.revision
            or config.revision
            or getattr(config.hf_config, "_commit_hash", None),
            "sha256": sha256_of_weights(Path(self.model)) if Path(self.model).exists() else None,
            "dtype": str(config.dtype).removeprefix("torch."),
            "quantization": config.quantization,
            "engine": "vllm",
            "version": vllm.__version__,
        }
        return {name: value for name, value in found.items() if value is not None}

    def setup(self) -> dict:
        """Device and, on a CPU, threads and whether scheduler and model share a process."""
        from vllm.platforms import current_platform

        config = self._engine.vllm_config
        threads = os.environ.get("OMP_NUM_THREADS", "")
        on = {
            "device": config.device_config.device_type,
            "max_num_seqs": config.scheduler_config.max_num_seqs,
        }
        if current_platform.is_cpu():
            on |= {"executor": str(config.parallel_config.distributed_executor_backend)}
            on |= {"threads": int(threads)} if threads.isdigit() else {}
        return on

    def _params(self, seed: int, settings: SamplingSettings):
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        how = {"temperature": settings.temperature, "top_p": settings.top_p, "seed": seed}
        if self._nucleus and settings.temperature:
            how = {"temperature": 0.0, "extra_args": {ASKED: how}}
        return SamplingParams(
            **how,
            max_tokens=settings.max_tokens,
            stop=list(settings.stop),
            logprobs=self.logprobs,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """One completion, a request of its own."""
        if self._engine is None:
            raise RuntimeError("a VLLM model completes inside its `async with` block")
        params = self._params(seed, settings)
        number = str(next(self._requests))
        try:
            tokens = await self._tokens(prompt)
            start = time.perf_counter()
            *_, result = [part async for part in self._engine.generate(tokens, params, number)]
        except TroveLiteError:
            raise
        except Exception as error:
            if TOO_LONG.search(line := one_line(error)):
                raise PromptRefused(f"vLLM refuses a prompt ({line})") from error
            raise ModelError(f"vLLM failed ({line}); run again to go on from here") from error
        seconds = time.perf_counter() - start
        (output,), times = result.outputs, result.metrics  # vLLM's RequestStateStats
        known = times and times.queued_ts and times.scheduled_ts
        waited = max(0.0, times.scheduled_ts - times.queued_ts) if known else None
        read = len(result.prompt_token_ids)
        written = len(output.token_ids)
        told = (
            None
            if output.cumulative_logprob is None
            else min(0.0, output.cumulative_logprob / max(1, written))
        )
        found = Completion(
            output.text,
            read,
            written,
            output.finish_reason,
            seconds - (waited or 0.0),
            cached_tokens=result.num_cached_tokens,
            queue_seconds=waited,
            log_probability=told,
        )
        return checked(found, settings, "vLLM")


def from_spec(spec: str, settings: SamplingSettings, chat: str) -> VLLM:
    """The engine that `vllm:NAME?ARGUMENT=…` names, each argument's value read as JSON where it
    is."""
    name, _, query = spec.removeprefix("vllm:").partition("?")
    if not name:
        raise TroveLiteError(NO_MODEL)
    try:
        engine_args = once(parse_qsl(query, keep_blank_values=True))
    except ValueError as error:
        raise TroveLiteError(f"vllm:{name}: {error}") from None
    for option, text in engine_args.items():
        with suppress(json.JSONDecodeError):
            engine_args[option] = json.loads(text)
    if "hf_token" in engine_args:  # the model's name, options and all, is written into run.json
        raise TroveLiteError("a model's options hold no key: put hf_token into $HF_TOKEN")
    if (logprobs := engine_args.pop("logprobs", "off")) not in ("on", "off"):
        raise TroveLiteError(
            "logprobs asks vLLM for each sample's log-probability: write logprobs=on or off"
        )
    return VLLM(name, settings, chat=chat, logprobs=logprobs == "on", **engine_args)


def name_of(model: str) -> tuple[str, str | None]:
    """A hub's name, or a path's last part; of a snapshot in a hub's cache the hub's name, and the
    revision."""
    place = Path(model)
    if not place.exists():
        return model, None
    place = place.absolute()
    if place.parent.name == "snapshots" and (hub := place.parts[-3]).startswith("models--"):
        return hub.removeprefix("models--").replace("--", "/"), place.name
    return place.resolve().name if place.name in ("", "..") else place.name, None


def imitates(dtype: str, device: str) -> bool:
    """Whether a CPU has no arithmetic in bfloat16 of its own (AVX-512 BF16, AMX, Arm's BF16) and is
    asked for it."""
    return (
        dtype.endswith("bfloat16")
        and device == "cpu"
        and "bf16" not in Path("/proc/cpuinfo").read_text()
    )


PR_SET_PDEATHSIG = 1
#: Where vLLM's processes begin: the engine's core, and its workers.
ENTRIES = (
    ("vllm.v1.engine.core", "EngineCoreProc", "run_engine_core"),
    ("vllm.v1.executor.multiproc_executor", "WorkerProc", "worker_main"),
)


def tie_processes() -> None:
    """Have the processes that vLLM begins from here end with the one that began them.

    vLLM's engine does not look after its parent: where that is killed it stays, with all its
    memory.
    """
    for module, owner, name in ENTRIES:
        with suppress(ImportError, AttributeError):  # another vLLM, which has them elsewhere
            place = getattr(import_module(module), owner)
            if not hasattr(place, "untied"):
                place.untied = staticmethod(getattr(place, name))
                setattr(place, name, staticmethod(partial(begin_tied, module, owner)))


def begin_tied(module: str, owner: str, *args, **kwargs):
    """Begin one of vLLM's processes, in it, to be killed by the kernel once its parent is gone.
    Linux alone."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    parent = multiprocessing.parent_process()
    if parent and os.getppid() != parent.pid:  # it was gone before we could ask
        os._exit(1)
    tie_processes()  # where it was spawned, not forked, nothing here is tied yet
    return getattr(import_module(module), owner).untied(*args, **kwargs)


def kill(children) -> None:
    """End these processes, where they have not ended by themselves."""
    for child in children:
        if child.is_alive():
            child.kill()
        child.join(GRACE)
