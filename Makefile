# Two commands do all the set-up on a fresh machine: `make quickstart` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: quickstart test lint lock

quickstart: .venv/core
	test -f runs/quickstart/metrics.json || $(BIN)/python train.py --config configs/quickstart.toml
	$(BIN)/python interpret.py runs/quickstart \
		--text "Although the plot was dull, the acting was superb." \
		--text "I never found the acting funny. The music was superb!"

test: lint
	$(BIN)/pytest

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The lock files hold every version with its hashes, for Python 3.11 to 3.13. `make lock` needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --extra dev pyproject.toml -o requirements-dev.lock

.venv/core: requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

.venv/dev: requirements-dev.lock .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@
