"""vLLM in this process. It speaks to the engine, and knows neither prompts nor what a completion is for."""

import itertools
import os
import time
from collections.abc import Sequence
from contextlib import contextmanager

from ..errors import TroveLiteError
from .base import TOO_LONG, Completion, ModelError, PromptRefused, SamplingSettings, checked, gather, one_line


class VLLM:
    """A vLLM engine in this process, batching continuously whatever is asked of it at once. Enter it with `async with`.

    `engine_args` are vLLM's own (`max_model_len`, `tensor_parallel_size`, `dtype`, …). Wants the extra `[vllm]`.
    """

    def __init__(self, model: str, settings: SamplingSettings | None = None, **engine_args):
        self.name = model
        self.settings = settings or SamplingSettings()
        self._engine_args = engine_args
        self._engine = None
        self._requests = itertools.count()

    async def __aenter__(self) -> "VLLM":
        # Read by vLLM when it is imported: no usage statistics sent anywhere, no log lines through progress bars.
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
        try:
            from vllm.engine.arg_utils import AsyncEngineArgs
            from vllm.platforms import current_platform
            from vllm.v1.engine.async_llm import AsyncLLM
        except ImportError as error:
            raise TroveLiteError(
                f"vLLM cannot be imported ({error}): pip install 'trove-lite[vllm]', or name a running server instead, "
                "as in http://localhost:8000/v1#NAME"
            ) from error
        defaults = CPU_DEFAULTS if current_platform.is_cpu() else {}
        try:
            self._params(0)  # settings that vLLM refuses are no prompt's fault
            args = AsyncEngineArgs(**{"model": self.name, "disable_log_stats": True} | defaults | self._engine_args)
            self._engine = AsyncLLM.from_engine_args(args)
        except Exception as error:
            raise ModelError(f"vLLM cannot start '{self.name}' ({one_line(error)}); see its messages above") from error
        return self

    async def __aexit__(self, *_) -> None:
        engine, self._engine = self._engine, None
        engine.shutdown(timeout=10)

    async def complete(self, prompt: str, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each seed, in order."""
        if self._engine is None:
            raise RuntimeError("a VLLM model completes inside its `async with` block")
        with _vllm_errors():
            (tokens,) = await self._engine.renderer.render_cmpl_async([{"prompt": prompt}])
        return await gather(self._sample(tokens, seed) for seed in seeds)

    def _params(self, seed: int):
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        return SamplingParams(
            temperature=self.settings.temperature,
            top_p=self.settings.top_p,
            max_tokens=self.settings.max_tokens,
            stop=list(self.settings.stop),
            seed=seed,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    async def _sample(self, prompt, seed: int) -> Completion:
        params = self._params(seed)
        start = time.perf_counter()
        with _vllm_errors():
            *_, result = [part async for part in self._engine.generate(prompt, params, str(next(self._requests)))]
        seconds = time.perf_counter() - start
        (output,) = result.outputs
        read, written = len(result.prompt_token_ids), len(output.token_ids)
        return checked(Completion(output.text, read, written, output.finish_reason, seconds), self.settings, "vLLM")


#: On a CPU, chunked prefill and a seed for each request kill the engine ("CPU Generator does not use offset"), and
#: the cache of keys and values would take nine tenths of the machine's memory.
CPU_DEFAULTS = {"enable_chunked_prefill": False, "kv_cache_memory_bytes": 2 << 30}


@contextmanager
def _vllm_errors():
    try:
        yield
    except Exception as error:
        if TOO_LONG.search(said := one_line(error)):
            raise PromptRefused(f"vLLM refuses a prompt ({said})") from error
        raise ModelError(f"vLLM failed ({said}); run again to go on from here") from error
