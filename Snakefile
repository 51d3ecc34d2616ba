# The compute-matched re-evaluation as jobs: a shard (method, category, seed) each, then the report. See benchmarks/scale.md.
#
#     snakemake --cores 4 --config model=http://localhost:8000/v1
#     snakemake --executor slurm --jobs 70 --retries 3 --config model=vllm:codellama/CodeLlama-7b-Instruct-hf
#
# A job that was killed or failed goes on where it was: its journal is no output of Snakemake's, which deletes those.

from trove_lite.models import load_model

CATEGORIES = "algebra counting geometry intermediate number prealgebra precalculus"

OUT = config.get("out", "runs/study")
NAME = config.get("name", "study")
METHODS = str(config.get("methods", "trove primitive")).split()
CHOSEN = str(config.get("categories", CATEGORIES)).split()
SEEDS = str(config.get("seeds", "0 1 2 3 4")).split()
MODEL = config.get("model", "vllm:codellama/CodeLlama-7b-Instruct-hf")
ARGS = config.get("args", "")  # any other option of `trove-lite run`
load_model(MODEL)  # refuses one that holds a key, before Snakemake's logs do

SHARDS = expand("{out}/{method}-{category}-{seed}", out=OUT, method=METHODS, category=CHOSEN, seed=SEEDS)


rule study:  # shards too: beside a report that is there, Snakemake would not miss one of them
    input:
        expand("{shard}/candidates.parquet", shard=SHARDS),
        f"results/{NAME}/index.html",


rule report:
    input:
        expand("{shard}/candidates.parquet", shard=SHARDS),
    output:
        f"results/{NAME}/index.html",
    shell:
        "trove-lite report {SHARDS} --out {NAME}"


rule shard:
    output:
        OUT + "/{method}-{category}-{seed}/candidates.parquet",
    params:
        folder=lambda wildcards, output: str(output).removesuffix("/candidates.parquet"),
    retries: 3
    resources:
        gpu=1 if MODEL.startswith("vllm:") else 0,
    shell:
        "trove-lite run --out {params.folder} --name {NAME} --quiet --model {MODEL:q} --methods {wildcards.method}"
        " --categories {wildcards.category} --seeds {wildcards.seed} {ARGS}"
