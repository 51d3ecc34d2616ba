# Two commands: `make reproduce` and `make test`. Each sets up .venv on its first run; later runs are fast.
PYTHON ?= python3
VENV := .venv
NAME ?= codellama-7b-instruct
TITLE ?= $(if $(filter codellama-7b-instruct,$(NAME)),Recorded runs of CodeLlama-7B-Instruct beside the papers' numbers,$(NAME))
RUNS ?= results/codellama-7b-instruct/outcomes.parquet
ARGS ?=
ESSAYS ?= notebooks/0[1-9]_*.ipynb notebooks/[1-9]*.ipynb
# One more than cores: many tests wait for a process.
PYTEST_ARGS ?= -n $(shell expr $$(nproc) + 1) --dist worksteal
BIN := $(VENV)/bin
STUDY ?= studies/bench.toml
ABLATIONS := studies/practice-ablations.toml
METHODS := studies/practice-methods.toml
MODEL ?=
REAL ?= .venv-vllm/bin/python
VERSION := $(shell sed -n 's/^__version__ = //p' trove_lite/__init__.py)
# of an older version it begins again
DEMO_RUN := grep -qs '"trove-lite": $(VERSION)' runs/practice-demo/run.json || rm -rf runs/practice-demo; $(BIN)/trove-lite run --methods trove primitive --seeds 0 1 2 --limit 10 --out runs/practice-demo
TOY := The practice model, live: how the methods work. Its numbers say nothing about other models

# modules are compiled once, not again by each of a hundred processes
unexport PYTHONDONTWRITEBYTECODE

.PHONY: reproduce recorded demo study answer bench bench-tables calls creator essays lab book site ablations real publish test test-slow test-without test-pandas3 test-vllm test-harness test-real lint bundle craft methods reexecution strong clean

reproduce: $(VENV)/ready  ## all of them; NAME=…, TITLE=…, RUNS=…, ARGS="-p seed 1" for other parameters
	@$(MAKE) --no-print-directory --jobs 2 bench recorded demo  # one long notebook beside many short ones
	@$(MAKE) --no-print-directory answer

recorded: $(VENV)/ready  ## all tables and figures from recorded CodeLlama runs
	$(BIN)/trove-lite view $(RUNS) --out results/$(NAME)/view.html
	$(BIN)/trove-lite report $(RUNS) --out $(NAME) --title "$(TITLE)" $(ARGS)

demo: $(VENV)/ready  ## the practice model live: TROVE and PRIMITIVE, 10 problems a category, 3 seeds
	$(DEMO_RUN)
	$(BIN)/trove-lite view runs/practice-demo --out results/practice-demo/view.html
	$(BIN)/trove-lite report runs/practice-demo --out practice-demo --title "$(TOY)" $(ARGS)

study: $(VENV)/ready  ## tables and figures of a real model's study, where results/ has it
	$(BIN)/python -m studies report $(STUDY)

answer: $(VENV)/ready  ## every published comparison in one figure: does making tools help?
	$(BIN)/trove-lite batch notebooks/01_answer.ipynb -p results ../results/answer -p figures ../figures/answer \
		--out results/answer/notebooks --force

bench: $(VENV)/ready  ## tables and figures of the planned runs: studies/bench.toml, thought.toml and familiarity.toml
	$(BIN)/trove-lite batch notebooks/03_bench.ipynb -p results ../results/bench -p figures ../figures/bench \
		--out results/bench/notebooks --force
	$(BIN)/trove-lite batch notebooks/04_calls.ipynb -p results ../results/bench \
		--out results/bench/notebooks/calls --force
	$(BIN)/trove-lite batch notebooks/40_latm.ipynb -p results ../results/bench -p figures ../figures/bench \
		--out results/bench/notebooks/latm --force
	$(BIN)/trove-lite batch notebooks/16_two_models.ipynb -p results ../results/bench -p figures ../figures/bench \
		--out results/bench/notebooks/models --force
	$(BIN)/trove-lite batch notebooks/06_tool_or_thought.ipynb -p results ../results/thought -p figures ../figures/thought \
		--out results/thought/notebooks --force
	$(BIN)/python -m studies report studies/familiarity.toml

bench-tables: $(VENV)/ready  ## each published model's tables and figures (results/models), and the table of models
	$(BIN)/python -m studies report studies/whole.toml
	$(BIN)/trove-lite batch notebooks/05_models.ipynb -p results ../results/models -p figures ../figures/models \
		--out results/models/notebooks --force

calls: $(VENV)/ready  ## the bench's calls of made tools again: needs its data, a quarter of an hour
	$(BIN)/trove-lite calls $(addprefix results/bench/runs/,own-trove own-trove-1 own-trove-tabmwp official-trove \
		official-trove-1 official-trove-tabmwp own-creator own-creator-1 official-creator own-latm \
		own-latm-gpt4 official-latm) --out results/bench

creator: $(VENV)/ready  ## CREATOR's tables by the one-answer grader, over the planned runs; needs MATH: trove-lite fetch math
	$(BIN)/trove-lite batch notebooks/30_creator.ipynb -p results ../results/bench -p figures ../figures/bench \
		--out results/bench/notebooks/creator --force

essays: $(VENV)/ready  ## the notebooks with their outputs, in place: three minutes; 15, 24 and 30 need MATH (trove-lite fetch math); ESSAYS=notebooks/13*: one
	$(BIN)/python -m nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False \
		--NotebookExporter.preprocessors=nbconvert.preprocessors.CoalesceStreamsPreprocessor \
		--ExecutePreprocessor.timeout=1200 $(ESSAYS)

lab: $(VENV)/ready-for-lab  ## JupyterLab on notebooks/, with this environment's kernel
	@echo "begin with 01_answer.ipynb (what was found), 00_run.ipynb (a run of your own) or 13_reeval_budget.ipynb (a paper's table)"
	JUPYTER_PREFER_ENV_PATH=1 $(BIN)/python -m jupyterlab --notebook-dir notebooks $(ARGS)

book: $(VENV)/ready .venv-book/ready  ## book/index.html: essays, studies, docs and the demo's viewer page; loads nothing from elsewhere
	rm -rf .venv-book/pages book
	mkdir -p .venv-book/pages
	git ls-files -z LICENSE CITATION.cff figures notebooks 'results/*.csv' '*.md' 'docs/*.yml' studies benchmarks \
		| xargs -0 cp --parents -t .venv-book/pages
	$(BIN)/python -c "from pathlib import Path; from trove_lite_analysis.cli.report import questions; \
		print(questions(Path('notebooks')))" > .venv-book/pages/essays.md
	@# what is no page of the book, a folder or a program, stays as text
	find .venv-book/pages -name '*.md' -o -name '*.ipynb' | xargs sed -Ei 's/\[([^][]*)\]\(\.\.\/[^)#:]*(\/|\/[^).#:\/]+|\.py)\)/\1/g'
	install -D docs/book.css -t .venv-book/pages/_static
	.venv-book/bin/jupyter-book build .venv-book/pages --config docs/book.yml --toc docs/toc.yml -q
	mv .venv-book/pages/_build/html book
	$(DEMO_RUN)
	$(BIN)/trove-lite view runs/practice-demo --out book/results/practice-demo/view.html
	@echo "read book/index.html"

site: book  ## site/index.html: the book, two runs by problem, two comparisons; all that a web server needs
	rm -rf site
	mkdir -p site
	mv book site/book
	cp docs/site.html site/index.html
	$(BIN)/trove-lite view results/bench/runs/own-trove results/bench/runs/own-primitive --out site/bench.html
	$(BIN)/trove-lite view $(RUNS) --out site/recorded.html
	$(BIN)/trove-lite compare results/bench/runs/own-trove results/bench/runs/own-primitive --out site/compare-bench.html
	$(BIN)/trove-lite compare $(RUNS) --out site/compare-recorded.html
	$(BIN)/python -m tests.links site
	@echo "read site/index.html"

.venv-book/ready: docs/book.txt
	$(PYTHON) -m venv .venv-book
	.venv-book/bin/python -m pip install --quiet --requirement docs/book.txt
	@touch $@

real:  ## a study with a real model: make real MODEL=FOLDER_OR_HUB_NAME; goes on where it stopped; REAL=python of a venv with vLLM
	$(REAL) -m studies run $(STUDY) --model '$(MODEL)' $(ARGS)

publish: $(VENV)/ready  ## the complete parts of that study into results/, then `make study`
	$(BIN)/python -m studies publish $(STUDY) $(ARGS)

ablations: $(VENV)/ready  ## results/practice-ablations again: TROVE's choices one after another, 5 seeds, half an hour
	$(BIN)/python -m studies run $(ABLATIONS) --model practice
	$(BIN)/python -m studies ablations $(ABLATIONS)

strong: $(VENV)/ready  ## results/strong again: strong models with and without tools, from logs of others; no model is asked
	$(BIN)/trove-lite fetch math strong
	$(BIN)/python -m trove_lite_papers.library_learning
	$(BIN)/trove-lite batch notebooks/07_strong_models.ipynb -p results ../results/strong -p figures ../figures/strong \
		--out results/strong/notebooks --force

methods: $(VENV)/ready  ## results/practice-methods again: every method by the practice model, ten minutes
	$(BIN)/python -m studies run $(METHODS) --model practice
	$(BIN)/python -m studies publish $(METHODS)
	$(BIN)/python -m studies ablations $(METHODS)

test: lint  ## the suite, without a real vLLM (test-vllm), other harnesses (test-harness) and what takes minutes (test-slow)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-slow: $(VENV)/ready-to-test  ## what takes minutes: real kernels, pages and tapes
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m slow

test-without: $(VENV)/ready-to-test  ## the suite without each folder of a paper's plug-ins in turn: eight times the suite
	$(BIN)/python -m tests.without

test-pandas3:  ## the tests of tables under pandas 3, which an install does not bring, in .venv-pandas3
	$(MAKE) VENV=.venv-pandas3 .venv-pandas3/ready-to-test
	.venv-pandas3/bin/python -m pip install --quiet 'pandas>=3,<4'  # against the pin: pip says so
	.venv-pandas3/bin/python -m pytest -n 2 tests/test_candidates.py tests/analysis tests/recorded

test-vllm:  ## a real vLLM engine on the CPU, in .venv-vllm (4 GB)
	PYTHON=$(PYTHON) tests/vllm/setup.sh
	.venv-vllm/bin/python -m pytest tests/vllm

test-harness:  ## files that inspect_ai, lm-eval and evalplus make themselves, in .venv-harness (1.7 GB, no torch)
	PYTHON=$(PYTHON) tests/harness/setup.sh
	.venv-harness/bin/python -m pytest tests/harness

test-real:  ## PRIMITIVE and TROVE by TROVE_LITE_MODEL=FOLDER_OR_SPEC, in REAL's venv: minutes; skips without it
	$(REAL) -m pytest -rs tests/real

lint: $(VENV)/ready-to-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bundle: $(VENV)/ready  ## results/codellama-7b-instruct/outcomes.parquet again, from the public logs
	$(BIN)/trove-lite fetch math logs
	$(BIN)/python -c "from trove_lite.datasets.files import public_paths as p; logs = p('logs', '.md'), p('logs', '.json'); \
		print(*(path for found in logs for path in found if path.suffix == '.md' or 'results' in path.parts), sep='\n')" \
		| xargs $(BIN)/trove-lite import --force --out runs/codellama-7b-instruct
	$(BIN)/trove-lite outcomes runs/codellama-7b-instruct --out results/codellama-7b-instruct/outcomes.parquet
	cp runs/codellama-7b-instruct/recorded.csv results/codellama-7b-instruct
	$(BIN)/trove-lite calls runs/codellama-7b-instruct --out results/codellama-7b-instruct

craft: $(VENV)/ready  ## results/gpt-3.5-creator again: CREATOR's programs by GPT, from the public files, run here
	$(BIN)/trove-lite fetch math tabmwp craft
	$(BIN)/python -c "from trove_lite.datasets.files import public_paths; print(*public_paths('craft', '.jsonl'), sep='\n')" \
		| xargs $(BIN)/trove-lite import --format creator --force --out runs/gpt-3.5-creator
	$(BIN)/trove-lite outcomes runs/gpt-3.5-creator --out results/gpt-3.5-creator/outcomes.parquet
	$(BIN)/trove-lite calls runs/gpt-3.5-creator --time_limit 5 --out results/gpt-3.5-creator
	$(BIN)/trove-lite batch notebooks/04_calls.ipynb -p runs '["../results/gpt-3.5-creator/outcomes.parquet"]' \
		-p calls "" -p results ../results/gpt-3.5-creator --out results/gpt-3.5-creator/notebooks/calls --force
	$(BIN)/trove-lite batch notebooks/24_trove_table3.ipynb -p results ../results/gpt-3.5-creator \
		-p figures ../figures/gpt-3.5-creator --out results/gpt-3.5-creator/notebooks --force

reexecution: $(VENV)/ready  ## results/reexecution again, after `make bundle`: every public program, an hour on two cores
	$(BIN)/trove-lite reexecute runs/codellama-7b-instruct --out runs/reexecuted \
		--time_limit 100 --memory 4096 --known_timeouts 5
	$(BIN)/python -m trove_lite_papers.reexecution runs/reexecuted
	mkdir -p results/reexecution figures/reexecution
	cp runs/reexecuted/*.csv results/reexecution
	cp runs/reexecuted/time_limits.png figures/reexecution

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "error: $(PYTHON) is older than Python 3.11: name a newer one, e.g. make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2> /dev/null \
		|| { echo "error: $(PYTHON) cannot make a virtual environment; on Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@echo "setting up $(VENV): some 90 packages, 0.8 GB of disk, one to three minutes"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --no-compile --editable '.[notebooks]'
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib || true  # pip would do it on one core
	@touch $@

$(VENV)/ready-for-lab: $(VENV)/ready
	@echo "adding JupyterLab to $(VENV): another minute"
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --editable '.[lab]'
	@touch $@

$(VENV)/ready-to-test: $(VENV)/ready
	@echo "adding what the tests need to $(VENV): another minute"
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV)
