# The grid as jobs: a shard (model, method, category, seed) each, then a report a model. See docs/runs.md.
#
#     snakemake --cores 4 --config model=http://localhost:8000/v1#NAME
#     snakemake --executor slurm --jobs 70 --config model="vllm:codellama/CodeLlama-7b-Instruct-hf vllm:Qwen/Qwen2.5-7B"
#
# A job that was killed or failed goes on where it was: its journal is no output of Snakemake's, which deletes those.

import re

from trove_lite.models import load_model

CATEGORIES = "algebra counting geometry intermediate number prealgebra precalculus"
PLACEBO = {"empty": "--methods trove --trove.toolbox none"}  # TROVE whose toolbox stays empty

OUT = config.get("out", "runs/study")
NAME = config.get("name", "study")
SPECS = str(config.get("model", "vllm:codellama/CodeLlama-7b-Instruct-hf")).split()
METHODS = str(config.get("methods", "trove primitive")).split()
CHOSEN = str(config.get("categories", CATEGORIES)).split()
SEEDS = str(config.get("seeds", "0 1 2 3 4")).split()
ARGS = config.get("args", "")  # any other option of `trove-lite run`
for spec in SPECS:
    load_model(spec)  # refuses one that holds a key, before Snakemake's logs do
MODELS = {re.sub(r"\W+", "-", spec.partition("?")[0] if "#" not in spec else spec.rpartition("#")[2]): spec for spec in SPECS}

SHARDS = expand("{out}/{{model}}/{method}-{category}-{seed}", out=OUT, method=METHODS, category=CHOSEN, seed=SEEDS)
TABLES = [f"{shard}/candidates.parquet" for shard in SHARDS]


rule study:  # shards too: beside a report that is there, Snakemake would not miss one of them
    input:
        expand(TABLES, model=MODELS),
        expand("results/{name}-{model}/index.html", name=NAME, model=MODELS),


rule report:
    input:
        TABLES,
    output:
        f"results/{NAME}-{{model}}/index.html",
    params:
        shards=lambda wildcards: expand(SHARDS, model=wildcards.model),
    shell:
        "trove-lite report {params.shards} --out {NAME}-{wildcards.model}"


rule shard:
    output:
        OUT + "/{model}/{method}-{category}-{seed}/candidates.parquet",
    params:
        folder=lambda wildcards, output: str(output).removesuffix("/candidates.parquet"),
        model=lambda wildcards: MODELS[wildcards.model],
        method=lambda wildcards: PLACEBO.get(wildcards.method, f"--methods {wildcards.method}"),
    retries: 3
    resources:
        gpu=lambda wildcards: int(MODELS[wildcards.model].startswith("vllm:")),
    shell:
        "trove-lite run --out {params.folder} --name {NAME} --quiet --model {params.model:q} {params.method}"
        " --categories {wildcards.category} --seeds {wildcards.seed} {ARGS}"
