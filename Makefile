# Thin: every target is a script or a CMake preset. `make help` lists them.
.DEFAULT_GOAL := build
.PHONY: build demo test strict clang perf format tidy asan tsan fuzz install wheel deb clean help setup
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

configure = test -f $(2)/build.ninja || cmake --preset $(1)

build: setup  ## the binary: build/strobe
	@$(call configure,release,build)
	@cmake --build build --target strobe

setup:
	@tools/setup

demo: build  ## installs what is missing, builds, and shows strobe at work on bundled traces
	@tools/demo

test:  ## installs what is missing, builds, runs every test
	@tools/test

strict: setup  ## every source and every header compiled by itself, not in joined files
	@$(call configure,strict,build/strict)
	@cmake --build build/strict
	@cmake --build build/strict --target strobe_headers

clang:  ## every test, compiled by clang
	@tools/setup --with-tests --with-checks
	@$(call configure,clang,build/clang)
	@cmake --build build/clang
	@ctest --preset clang

perf:  ## strobe against its rivals, as a table (minutes)
	@tools/setup --with-perf
	@perf/run

format:  ## applies .clang-format
	@tools/setup --with-tests
	@tools/format

tidy:  ## clang-tidy over src/
	@tools/setup --with-checks
	@tools/tidy

asan: setup  ## every test under the address and undefined-behaviour sanitizers
	@$(call configure,asan,build/asan)
	@cmake --build build/asan
	@ctest --preset asan

tsan: setup  ## the tests that start threads, under the thread sanitizer
	@$(call configure,tsan,build/tsan)
	@cmake --build build/tsan --target threaded_tests
	@ctest --preset tsan

fuzz:  ## each fuzz target for FUZZ_SECONDS
	@tools/setup --with-checks
	@tools/fuzz $(FUZZ_SECONDS)

install: build  ## to PREFIX (/usr/local), below DESTDIR
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

wheel:  ## dist/strobe-<version>-cp311-abi3-<platform>.whl, for pip
	@tools/setup --with-python
	@python3 python/build_wheel.py

deb: build  ## build/strobe_<version>_<architecture>.deb
	@tools/setup --with-package
	@cd build && cpack -G DEB

clean:  ## removes build/
	@rm -rf build

help:
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  make \1\t\2/p' Makefile | expand -t 17
