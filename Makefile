# Troupe. `make run` shows what it does, `make test` checks that it does it; both install what they need.

BUILD := .build/release
PLUGINS := .build/plugins
TROUPE := $(BUILD)/troupe

HEADERS := include/troupe.h $(wildcard include/troupe/*.h)
CFLAGS := -std=c11 -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra -I include
CXXFLAGS := -std=c++17 -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra -I include
SWIFTFLAGS := -O -swift-version 6 -emit-library -parse-as-library -I $(BUILD)/Modules -I include -L $(BUILD) -lTroupe \
  -load-plugin-executable $(BUILD)/TroupeMacros-tool\#TroupeMacros

EXAMPLES := base64 counter dataurl footnotes geometry grep order wordcount
# C libraries of the system that a file makes plugins.
ADOPTED := libc math zlib
PLUGIN_FILES := $(EXAMPLES:%=$(PLUGINS)/%.so) $(ADOPTED:%=$(PLUGINS)/%.troupe.json)

PREFIX := /usr/local

.PHONY: help all run test check check-long address-sanitizer host-api-sanitizer thread-sanitizer release-tests abi-growth \
  check-swift-interface renew-swift-interface fuzz \
  bench build examples headers calls python python-tests check-python check-engines check-catalog python-bench \
  bench-engines rust-tests documentation lint format install uninstall package check-package clean

# Said at the beginning.
TAKES_test := about 15 minutes on two processors, and 5 more for the first build
TAKES_bench := about 10 minutes on an idle machine
TAKES_check-long := about 15 minutes the first time, when it installs packages of 2 GB, and 2 afterwards
$(foreach goal,$(filter test bench check-long,$(MAKECMDGOALS)),$(info make $(goal): takes $(TAKES_$(goal))))

## all: build and examples
all: build examples

## help: lists the targets
help:
	@sed -n 's/^## \([^:]*\): /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24

## run: builds the release and the example plugins, and shows each command
run: build examples
	@scripts/demonstrate $(TROUPE) $(PLUGINS)

# All tests but the one that builds a plugin as a package, which builds all of Troupe once more. Those of the command run the release.
# The tests of the host then run with plugins in workers.
## test: checks the headers in every language version, the assembly for calls, and runs the tests
test: build headers calls libraries
	TROUPE_PRODUCTS=$(CURDIR)/$(BUILD) scripts/run-tests --skip SwiftPluginTests/package
	TROUPE_ISOLATE=1 TROUPE_PRODUCTS=$(CURDIR)/$(BUILD) scripts/run-tests --filter TroupeHostTests

# Without a network: the crate has no dependencies.
CARGO = cd rust && TROUPE_LIB_DIR=$(CURDIR)/$(BUILD) CARGO_TARGET_DIR=$(CURDIR)/.build/rust cargo
## rust-tests: runs the tests of the crate for hosts in Rust, and Clippy and rustfmt if they are installed
rust-tests: build examples
	$(CARGO) test --offline --locked
	if cargo clippy --version >/dev/null 2>&1; then $(CARGO) clippy --offline --locked --all-targets -- -D warnings; fi
	if cargo fmt --version >/dev/null 2>&1; then $(CARGO) fmt --check; fi

# Not part of .ci/run, whose tests have a sample: the languages whose compilers are installed, ten libraries and some system calls.
## check-long: runs plugins in nine languages, opens the libraries of 450 Debian packages, denies system calls; 15 minutes, 2 GB
check-long: build
	@scripts/install-dependencies runtimes
	TROUPE_PRODUCTS=$(CURDIR)/$(BUILD) scripts/run-tests --filter RuntimeTests
	scripts/check-libraries --troupe $(TROUPE) --list Tests/Fixtures/runtimes/libraries.txt
	scripts/check-denied-calls $(BUILD)

# Each has a build directory of its own, since other compiler options make the package manager rebuild everything.
## check: runs the fuzzers, the sanitizers, the tests on optimized code with more rounds, and old plugins in a host with a later ABI
check: fuzz address-sanitizer host-api-sanitizer thread-sanitizer release-tests abi-growth

# Only Swift Testing runs, since XCTest leaks its own, empty, suite.
## address-sanitizer: runs the tests of calls into C under the address and leak sanitizers
address-sanitizer: dependencies libraries
	TROUPE_ONLY="TroupeCallTests TroupeSignatureTests" LSAN_OPTIONS=suppressions=Tests/leak-sanitizer.supp \
	  scripts/run-tests --sanitize=address --disable-xctest --scratch-path .build/address-sanitizer

# The library itself is not sanitized: its handles are allocated with malloc, so that the leak sanitizer of the programs sees them.
## host-api-sanitizer: runs the programs that use troupe-host.h under the address and leak sanitizers
host-api-sanitizer: build
	scripts/check-host-api $(BUILD) --sanitize

## thread-sanitizer: runs the tests of the container and its scopes under the thread sanitizer
thread-sanitizer: dependencies
	TROUPE_ONLY="TroupeContainerTests TroupeScopesTests" TSAN_OPTIONS=halt_on_error=1 \
	  scripts/run-tests --sanitize=thread --scratch-path .build/thread-sanitizer

# Without the tests of the command that `make test` runs on the release, which is optimized, too: only that of kills, which has more rounds,
# and the one that builds a package.
## release-tests: runs the tests on optimized code, with more kills, reloads and rounds
release-tests: dependencies libraries
	TROUPE_KILLS=100 TROUPE_CRASHES=10000 TROUPE_RELOADS=1000 TROUPE_STRESS_ROUNDS=10000 \
	  scripts/run-tests -c release -Xswiftc -enable-testing --scratch-path .build/release-tests \
	  --skip 'CommandLineTests\.(?!KillTests|SwiftPluginTests/package)'

# A copy of the sources with a debug build of its own; the second build compiles only the changes.
## abi-growth: runs plugins of ABI 1.0, and Swift plugins of the kept interface, in hosts whose interfaces grew once and twice
abi-growth: build
	scripts/check-abi-growth $(BUILD)

# See Documentation/StableInterface.md.
## check-swift-interface: compares the interface for plugins in Swift with the kept one, and what plugins inline with its list
check-swift-interface: build
	scripts/check-swift-interface $(BUILD)

## renew-swift-interface: replaces the kept interface for plugins in Swift by that of the build, and prints what changed
renew-swift-interface: build
	scripts/check-swift-interface $(BUILD) --renew

# Any bytes as signatures, as JSON, as plugin files, as their manifests and as what a host keeps of them, with the address sanitizer:
# RUNS of each, or a few seconds of all, which are the same each time. What is found is left in Fuzzing/.build, and so is what was of
# use, for the next time.
FUZZ := Fuzzing/.build
FUZZ_SEEDS := $(patsubst Fuzzing/Seeds/elf/%.c,$(FUZZ)/seeds/elf/%,$(wildcard Fuzzing/Seeds/elf/*.c))
## fuzz: reads random input as signatures, JSON, plugin files, registries and messages of workers; RUNS=N for more
fuzz: dependencies $(FUZZ_SEEDS)
	TROUPE_FUZZERS=1 swift build -c release --package-path Fuzzing --sanitize fuzzer --sanitize address -Xswiftc -sanitize=fuzzer,address \
	  -Xswiftc -enable-testing
	@$(call fuzz_with,FuzzGrammar,grammar,$(or $(RUNS),200000),1024,Fuzzing/Seeds/grammar)
	@$(call fuzz_with,FuzzJSON,json,$(or $(RUNS),40000),1024,Fuzzing/Seeds/json)
	@$(call fuzz_with,FuzzELF,elf,$(or $(RUNS),200000),8192,$(FUZZ)/seeds/elf)
	@$(call fuzz_with,FuzzManifest,manifest,$(or $(RUNS),200000),1024,Fuzzing/Seeds/manifest)
	@$(call fuzz_with,FuzzChannel,channel,$(or $(RUNS),500000),1024,Fuzzing/Seeds/channel)
	@mkdir -p $(FUZZ)/seeds/registry
	@export FUZZ_SEEDS=$(FUZZ)/seeds/registry; $(call fuzz_with,FuzzRegistry,registry,$(or $(RUNS),200000),1024,$(FUZZ)/seeds/registry)

# Swift's own report of a crash reads memory in a way that the sanitizer takes for a fault.
define fuzz_with
mkdir -p $(FUZZ)/corpus/$(2) && echo "$(1): $(3) runs" && \
  SWIFT_BACKTRACE=enable=no $(FUZZ)/release/$(1) -runs=$(3) $(if $(RUNS),,-seed=1) -max_len=$(4) -timeout=5 \
  -verbosity=0 -dict=Fuzzing/Seeds/$(2).dict -artifact_prefix=$(FUZZ)/ $(FUZZ)/corpus/$(2) $(5)
endef

# Small libraries, without what a loader needs to open them. The exports of `interface` have a version, which `client` needs.
$(FUZZ)/seeds/elf/interface: SEED_FLAGS := -Wl,-soname,libGreetings.so,--default-symver
$(FUZZ)/seeds/elf/client: $(FUZZ)/seeds/elf/interface
$(FUZZ)/seeds/elf/client: SEED_FLAGS := -Wl,-soname,client.so $(FUZZ)/seeds/elf/interface
$(FUZZ)/seeds/elf/%: Fuzzing/Seeds/elf/%.c $(HEADERS)
	mkdir -p $(@D)
	$(CC) $(CFLAGS) -nostdlib -s -Wl,--build-id=none,-z,noseparate-code,-z,max-page-size=64,-z,norelro -o $@ $< $(SEED_FLAGS)

# Ratios within one run, held against Benchmarks/thresholds.txt.
## bench: compares ratios of times with Benchmarks/thresholds.txt
bench: build examples
	mkdir -p Benchmarks/.build/plugins Benchmarks/.build/isolation
	$(CC) $(CFLAGS) -o Benchmarks/.build/isolation/functions.so Tests/Fixtures/isolation/functions.c
	$(CC) $(CFLAGS) -o Benchmarks/.build/plugins/numbered.so Benchmarks/Plugins/numbered.c
	$(CC) $(CFLAGS) -ftree-vectorize -o Benchmarks/.build/plugins/columns.so Benchmarks/Plugins/columns.c
	$(CC) -std=c11 -O2 -I include -o Benchmarks/.build/small Tests/Fixtures/host-api/small.c -L $(BUILD) -lTroupe -Wl,-rpath,$(CURDIR)/$(BUILD)
	swiftc -O -swift-version 6 $$($(TROUPE) flags) -o Benchmarks/.build/small-swift Benchmarks/Programs/main.swift
	swift run -c release --package-path Benchmarks Benchmarks

## build: builds the release
build: dependencies
	swift build -c release

## examples: builds the example plugins
examples: $(PLUGIN_FILES)

## headers: compiles the headers for C and C++ in every supported language version
headers:
	scripts/check-headers

## calls: tests the assembly for calls, with an emulator also on AArch64
calls: dependencies
	scripts/check-calls

# Its tools from PyPI are installed in .build/python.
## python: builds the wheels of the Python package in python/dist, one for each Python from 3.11 on; PYTHON=… for one alone
python: build
	scripts/build-wheel $(BUILD)

# The wheels are installed as a user installs them, in environments of their own.
## python-tests: installs the wheels into new environments, and runs pytest and mypy
python-tests: python examples
	scripts/test-wheel $(PLUGINS)

# Dask, Spark and their packages come from PyPI.
## check-engines: installs the wheel beside Dask, DuckDB, Polars and Spark, and runs the tests of their adapters, and mypy
check-engines: python examples
	@scripts/install-dependencies engines
	scripts/test-engines $(PLUGINS)

# As root, since it makes a Debian of its own, without Swift.
## check-python: installs the wheel in a new Debian, and uses it there
check-python: python examples
	@scripts/install-dependencies packages
	scripts/check-wheel $(PLUGINS)

## python-bench: compares calls from Python with ctypes, cffi and a NumPy ufunc in C
python-bench: python examples
	scripts/test-wheel $(PLUGINS) --bench

# Its tools from PyPI are installed in .build/python.
## check-catalog: opens catalogs of plugins in Chromium, runs the calls on their pages, and measures 1,000 plugins; needs PyPI
check-catalog: python examples
	@scripts/install-dependencies catalog
	scripts/check-catalog $(BUILD) $(PLUGINS)

## bench-engines: compares whole jobs and functions of plugins in Dask, Spark, Polars and DuckDB with the engines' own ways
bench-engines: python examples
	@scripts/install-dependencies engines
	scripts/test-engines $(PLUGINS) --bench

# The guides and the reference of every module, of the header and of the command, with all links checked.
## documentation: builds the site in .build/documentation
documentation: build
	scripts/build-documentation
	scripts/check-documentation

SWIFT_SOURCES := Package.swift Sources Tests plugins $(foreach package,Benchmarks Fuzzing,$(package)/Package.swift $(package)/Sources)

## lint: checks the layout of the sources and the generated one
lint:
	swift format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	scripts/generate-overloads --check
	scripts/check-imports
	scripts/site-links --check

## format: corrects the layout of the sources
format:
	swift format --in-place --recursive --parallel $(SWIFT_SOURCES)

## install: installs into PREFIX, by default /usr/local
install: build
	scripts/install-files $(BUILD) "$(DESTDIR)$(PREFIX)" "$(PREFIX)"

# Keeps plugins that others have added, and their directories.
INSTALLED := bin/troupe libexec/troupe lib/libTroupe.so $(addprefix lib/troupe/,swift modules TroupeMacros TroupeMacros-tool) \
  include/troupe share/troupe/templates $(addprefix lib/pkgconfig/,troupe.pc troupe-host.pc) lib/cmake/Troupe \
  share/bash-completion/completions/troupe share/zsh/site-functions/_troupe share/fish/vendor_completions.d/troupe.fish \
  share/man/man1/troupe.1 share/man/man1/troupe-*.1
## uninstall: removes the installed files from PREFIX
uninstall:
	cd "$(DESTDIR)$(PREFIX)" && rm -rf $(INSTALLED)
	-cd "$(DESTDIR)$(PREFIX)" && rmdir --ignore-fail-on-non-empty lib/troupe/plugins lib/troupe share/troupe 2>/dev/null

## package: builds the Debian packages troupe and libtroupe-dev in .build/packages
package: build
	@scripts/install-dependencies packages
	scripts/build-packages $(BUILD) .build/packages

# As root, since it installs the packages in a Debian of its own, without Swift.
## check-package: checks the packages with lintian, and uses them in a new Debian
check-package: package
	scripts/check-packages .build/packages

## clean: removes everything that was built
clean:
	rm -rf $(BUILT)

BUILT := .build Benchmarks/.build Fuzzing/.build python/dist

# The compiler's modules have absolute paths, so that a tree that was moved or copied is built anew.
.PHONY: dependencies libraries
dependencies:
	@scripts/install-dependencies
	@if [ -f .build/release.yaml ] && ! grep -qF '$(CURDIR)/' .build/release.yaml; then \
	  echo "this tree was built in another place, and is built anew" >&2; rm -rf $(BUILT); fi

libraries:
	@scripts/install-dependencies libraries

# The example plugins, one compiler call each, as an author outside this repository makes it.

$(PLUGINS):
	mkdir -p $@

$(PLUGINS)/base64.so: plugins/base64/base64.c $(HEADERS) | $(PLUGINS)
	$(CC) $(CFLAGS) -o $@ $<

$(PLUGINS)/counter.so: plugins/counter/counter.c plugins/counter/counter.h $(HEADERS) | $(PLUGINS)
	$(CC) $(CFLAGS) -o $@ $<

$(PLUGINS)/geometry.so: plugins/geometry/geometry.c $(HEADERS) | $(PLUGINS)
	$(CC) $(CFLAGS) -o $@ $< -lm

$(PLUGINS)/order.so: plugins/order/order.c $(HEADERS) | $(PLUGINS)
	$(CC) $(CFLAGS) -o $@ $<

$(PLUGINS)/wordcount.so: plugins/wordcount/wordcount.cpp $(HEADERS) | $(PLUGINS)
	$(CXX) $(CXXFLAGS) -o $@ $<

$(PLUGINS)/grep.so: $(wildcard plugins/grep/Sources/Grep/*.swift) $(BUILD)/libTroupe.so | $(PLUGINS)
	swiftc $(SWIFTFLAGS) -module-name Grep -o $@ $(filter %.swift,$^)

$(PLUGINS)/dataurl.so: plugins/dataurl/DataURLPlugin.swift $(BUILD)/libTroupe.so | $(PLUGINS)
	swiftc $(SWIFTFLAGS) -module-name DataURL -o $@ $(filter %.swift,$^)

$(PLUGINS)/footnotes.so: plugins/footnotes/FootnotesPlugin.swift $(BUILD)/libTroupe.so | $(PLUGINS)
	swiftc $(SWIFTFLAGS) -module-name Footnotes -o $@ $(filter %.swift,$^)

# Not with the umask's permissions: a file that a group may write to is refused.
$(PLUGINS)/libc.troupe.json: plugins/libc/libc.troupe.json | $(PLUGINS)
	install -m 644 $< $@

$(PLUGINS)/math.troupe.json: plugins/math/math.troupe.json | $(PLUGINS)
	install -m 644 $< $@

$(PLUGINS)/zlib.troupe.json: plugins/zlib/zlib.troupe.json | $(PLUGINS)
	install -m 644 $< $@

# Built by the package manager, which decides by itself what is out of date. The empty recipe has make look at the file's
# time afterwards, so that the plugins are not built anew for nothing.
$(BUILD)/libTroupe.so: build ;
