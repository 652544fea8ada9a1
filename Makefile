# Two commands on a fresh machine: `make play` and `make test`. Both set up .venv by themselves, and again only when
# pyproject.toml has changed: the stamps live inside .venv, so that removing it is all it takes to start over.
# `make` alone prints the comments that begin with ##.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SILENT:
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help play test test-slow test-page test-debian sweep long faults crash load rig appliance test-ha \
	needs-test needs-test-slow needs-test-page needs-test-debian needs-sweep needs-faults needs-long needs-rig needs-appliance \
	check format docs pictures bench site deb voice recording image release test-release audit install uninstall libraries clean

export PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE := tests/node/node_modules
ESPHOME := build/esphome
NATS := build/nats
export PATH := $(PATH):/usr/sbin
# Every process of a test would compile all modules anew: a minute in all.
unexport PYTHONDONTWRITEBYTECODE

# One more than there are processors: many tests wait.
WORKERS ?= --numprocesses $$(( $$(nproc) + 1 )) --dist worksteal
# What is missing on this machine is not run, and pytest names it at the end.
PYTEST = OCHE_WITHOUT="$$(.ci/packages.sh lacking tests/programs.txt)" $(BIN)/python -m pytest
# A test that has not ended after so many seconds hangs. A coroutine fails then, of others the whole process; the rest goes on.
TEST_LIMIT = --override-ini faulthandler_exit_on_timeout=true --override-ini faulthandler_timeout=$(TEST_LIMIT_S)
TEST_LIMIT_S = 300
as_root = [[ $$(id -u) = 0 ]] || { echo "make $(1) needs root: sudo make $(1)" >&2; exit 1; }

help:
	awk '/^## /{text = substr($$0, 4)} /^[a-z-]+:/ && text {printf "make %-12s %s\n", substr($$1, 1, index($$1, ":") - 1), text; text = ""}' Makefile

## the demo in the browser, no hardware needed; ARGS="--game burma_road" for its options
play: $(VENV)/.play
	exec $(BIN)/oche play $(ARGS)

## make check, then every test but those below; ARGS="-k cricket" for pytest
test: check
	$(PYTEST) $(WORKERS) $(TEST_LIMIT) $(ARGS)

## tests like those of make test, each of which takes longer
test-slow: $(VENV)/.dev
	$(PYTEST) -m 'slow and not long and not page' $(WORKERS) $(TEST_LIMIT) $(ARGS)

# Without kernels and browsers they wait for more than half of their time.
test test-slow: WORKERS = --numprocesses $$(( $$(nproc) * 2 + 1 )) --dist worksteal
# pytest compiles every module of the tests in its own way, and keeps it. In a fresh clone all workers would at the same
# time, so one does it for them, beside mypy.
test: BESIDE = [[ -e .pytest_cache ]] || $(BIN)/python -m pytest --collect-only -qq $(ARGS) >/dev/null 2>&1 &

# Nothing without which they would fail.
needs-test needs-test-slow needs-long:

BROWSER := mosquitto:mosquitto chromium-headless-shell:chromium-headless-shell lib/chromium/icudtl.dat:chromium-common

## the page in a real browser, of which make test plays one leg
test-page: needs-test-page $(VENV)/.dev
	$(PYTEST) -m 'page and not long' $(WORKERS) $(TEST_LIMIT) tests/page $(ARGS)

needs-test-page:
	.ci/packages.sh need test-page $(BROWSER) dbus-daemon:dbus-daemon

## make play, test and test-slow on a fresh Debian 12 and 13, by root and by a user (needs root); ARGS="13 user" for some
test-debian: needs-test-debian
	exec $(PYTHON) -m tests.debian $(ARGS)

needs-test-debian:
	$(call as_root,test-debian)
	.ci/packages.sh need test-debian bin/mmdebstrap:mmdebstrap bin/unshare:util-linux bin/git:git

## the tests that take minutes: whole sweeps, ten million bytes of fuzz, games at length; ARGS="--fifth 0" to 4: a part
long: $(VENV)/.dev $(ESPHOME)/.installed $(NATS)/.installed
	without=$$(.ci/packages.sh lacking tests/programs.txt tests/programs_long.txt)
	tests/disk/can_mount.sh || without+=$${without:+,}namespaces
	[[ ,$$without, == *,nodejs,* ]] || make $(NODE)/.installed
	OCHE_WITHOUT=$$without $(BIN)/python -m pytest -m long $(WORKERS) $(TEST_LIMIT) $(ARGS)
	$(BIN)/python -m pytest --hypothesis-profile=long -m "not long" tests/engine $(WORKERS) $(ARGS)
long sweep: TEST_LIMIT_S = 1800

## darts, tournaments and a league (for twenty minutes) while all programs die: prints what happened; ARGS="--seed 7" for other dice
faults: needs-faults $(VENV)/.dev $(NATS)/.installed
	$(PYTEST) -m long tests/faults --league-s 1200 --override-ini faulthandler_timeout=3600 --capture no $(ARGS)

needs-faults:
	.ci/packages.sh need faults gcc:gcc include/stdio.h:libc6-dev mosquitto:mosquitto pg_ctlcluster:postgresql

## every operation that writes is killed at some of its calls, and has them fail; make crash tries all of them
sweep: needs-sweep $(VENV)/.dev
	$(PYTEST) -m 'sweep and not long' $(WORKERS) $(TEST_LIMIT) tests/crash $(ARGS)

needs-sweep:
	.ci/packages.sh need sweep gcc:gcc include/stdio.h:libc6-dev mosquitto:mosquitto

## kills and damages, two thousand each, then a kill and two errors at every call that writes: prints what became of it
crash: $(VENV)/.dev
	$(PYTEST) -m '' tests/crash -k 'many_kills or many_damages or order or all_operations' --kills 2000 --points 0 \
	    --override-ini faulthandler_timeout=7200 --capture no $(ARGS)

## one table, 32 with three darts a second each, 256 with one in three seconds, ten minutes each: prints the delays
load: $(VENV)/.dev
	$(PYTEST) -m long tests/load --load-s 600 --override-ini faulthandler_timeout=3600 --capture no $(ARGS)

# What the kernel is built with, and what the jobs in it need of this machine: each as a file in /usr and its package.
RIG_BUILD := bin/bc:bc bin/bison:bison bin/flex:flex bin/gcc:gcc bin/make:make bin/xz:xz-utils include/stdio.h:libc6-dev
RIG_JOBS := bin/bluetoothctl:bluez share/dbus-1/system.conf:dbus bin/setpriv:util-linux bin/udevadm:udev \
	sbin/ip:iproute2 lib/x86_64-linux-gnu/libusb-1.0.so.0:libusb-1.0-0
# The kernel itself hangs now and then, on a busy machine more often. A test that it died in is run again, and pytest says so.
HUNG := --reruns 2 --only-rerun '^Dead:'

## the tests that need a kernel of their own (USB, Bluetooth); it is built first, once, in ten minutes
rig: needs-rig $(VENV)/.dev
	kernel=$$(tests/rig/build_kernel.sh)
	OCHE_RIG_KERNEL=$$kernel $(BIN)/python -m pytest -m rig $(WORKERS) $(HUNG) tests/rig $(ARGS)

needs-rig:
	.ci/packages.sh need rig $(if $(OCHE_RIG_KERNEL),,$(RIG_BUILD)) $(RIG_JOBS)

# The Debian that oche's package is installed on is made first, once: see tests/appliance/install.sh. It takes root.
CUTS ?= 20

## oche's package in a Debian of its own with systemd, whose power is cut; ten minutes; CUTS=3 for a short form
appliance: needs-appliance $(VENV)/.dev
	kernel=$$(tests/rig/build_kernel.sh)
	tests/appliance/install.sh >/dev/null
	package=$${OCHE_DEB:-$$(ARCH=amd64 DEBIAN=12 debian/build.sh $(BIN)/python)}
	# By files, each of which has a guest of its own.
	OCHE_RIG_KERNEL=$$kernel OCHE_DEB=$$package OCHE_CUTS=$(CUTS) \
	    $(BIN)/python -m pytest -m appliance --numprocesses auto --dist loadfile $(HUNG) tests/appliance tests/package $(ARGS)

needs-appliance:
	$(call as_root,appliance)
	.ci/packages.sh need appliance $(if $(OCHE_RIG_KERNEL),,$(RIG_BUILD)) \
	    bin/mmdebstrap:mmdebstrap sbin/mke2fs:e2fsprogs bin/dh:debhelper sbin/ip:iproute2

## the tests with a real Home Assistant (needs root); it is installed first, once, in three minutes
test-ha: $(VENV)/.dev
	.ci/packages.sh need test-ha $(BROWSER) mmdebstrap:mmdebstrap unshare:util-linux
	home_assistant=$$(tests/home_assistant/install.sh)
	OCHE_HOME_ASSISTANT=$$home_assistant $(BIN)/python -m pytest -m home_assistant tests/home_assistant $(ARGS)

## lint, types and the walls between the rooms; with Node.js the page's scripts too
check: $(VENV)/.dev
	# All five have their say before it fails; the longest has a processor of its own.
	failed=0
	$(BIN)/mypy & types=$$!
	$(BESIDE)
	$(BIN)/ruff check --quiet || failed=1
	$(BIN)/ruff format --check --quiet || { failed=1; echo "These files are not formatted: run make format." >&2; }
	$(BIN)/lint-imports --no-logo || failed=1
	tests/page/scripts/check.sh $(BIN)/python || failed=1
	wait $$types || failed=1
	exit $$failed

## mends what can be mended by itself
format: $(VENV)/.dev
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet

## writes what is generated in docs anew
docs: $(VENV)/.dev
	exec $(BIN)/python -m tests.contract

## takes the pictures of the page in docs/pictures anew; ARGS="wall dards" for some
pictures: $(VENV)/.dev
	exec $(BIN)/python -m tests.page.pictures $(ARGS)

## these pages as a site with a search, in dist/site and as a tar
site:
	debian/release/site.sh

## how fast it is, beside named baselines; ARGS="growth" for one section, ARGS="--write docs/figures.md" for the page
bench: $(VENV)/.dev
	without=$$(.ci/packages.sh lacking tests/programs_bench.txt)
	[[ ,$$without, == *,nodejs,* ]] || make $(NODE)/.installed
	OCHE_WITHOUT=$$without exec $(BIN)/python -m tests.bench $(ARGS)

ARCH ?= $(shell dpkg --print-architecture)
DEBIAN ?= $(shell . /etc/os-release && [[ "$${ID:-} $${ID_LIKE:-}" == *debian* ]] && echo $${VERSION_ID:-})

## the Debian package, in build; prints where; ARCH=arm64 DEBIAN=13 for another machine than this one; EXTRAS=all: those of extras, too
deb: $(BIN)/pip
	.ci/packages.sh need deb dh:debhelper
	ARCH='$(ARCH)' DEBIAN='$(DEBIAN)' EXTRAS='$(EXTRAS)' debian/build.sh $(BIN)/python

VOICE := flite:flite espeak-ng:espeak-ng sox:sox lame:lame

## the package of the voice in the box, in build; prints where
voice:
	.ci/packages.sh need voice $(VOICE)
	$(PYTHON) -B debian/release/voice.py build \
	    "$$($(PYTHON) -B debian/release/version.py | sed -E 's/[.]?(a|b|rc|dev)([0-9])/~\1\2/')"

## a leg as the voice in the box calls it, and the same leg played by ear: two wav files in build
recording: $(VENV)/.dev
	.ci/packages.sh need recording $(VOICE)
	exec $(BIN)/python -m tests.recording

## the package for Debian 13 as a container image, in build; prints where; ARCH=arm64 for another machine than this one; EXTRAS=all: with the extras
image: $(BIN)/pip
	.ci/packages.sh need image dh:debhelper mmdebstrap:mmdebstrap
	packages=$$(ARCH='$(ARCH)' DEBIAN=13 EXTRAS='$(EXTRAS)' debian/build.sh $(BIN)/python)
	debian/release/image.sh '$(ARCH)' build $$packages

## all that is published of HEAD, in dist; KEY names the key that signs, as gpg knows it
release: $(BIN)/pip
	.ci/packages.sh need release bin/git:git dh:debhelper apt-ftparchive:apt-utils gpg:gpg \
	    mmdebstrap:mmdebstrap rsvg-convert:librsvg2-bin $(VOICE)
	KEY='$(KEY)' debian/release/build.sh $(BIN)/python

# In one process: two that build a Debian or a package at the same time gain nothing on two processors.
## what is published of HEAD, each in a Debian of its own: installed, updated, played (needs root)
test-release: $(VENV)/.dev
	$(call as_root,test-release)
	.ci/packages.sh need test-release bin/git:git dh:debhelper apt-ftparchive:apt-utils gpg:gpg mmdebstrap:mmdebstrap \
	    unshare:util-linux ip:iproute2 qemu-system-aarch64:qemu-system-arm cpio:cpio depmod:kmod mke2fs:e2fsprogs
	$(BIN)/python -m pytest -m release --override-ini faulthandler_timeout=3600 tests/release $(ARGS)

## asks PyPI for advisories about what is carried and allowed
audit:
	exec debian/release/audit.sh

## builds the package and installs or updates it here; with sudo; EXTRAS="feed proxy": with these
install:
	$(call as_root,install)
	EXTRAS='$(EXTRAS)' exec debian/install.sh

## leaves only what was played; with sudo
uninstall:
	$(call as_root,uninstall)
	apt-get purge -qq oche
	[[ ! -e /var/lib/oche ]] || echo "What was played is still in /var/lib/oche."

## writes debian/libraries.txt anew: the newest that pyproject.toml allows
libraries:
	exec debian/libraries.sh

## removes .venv and everything that was built
clean:
	rm -f daemon/web/page/typeface.txt daemon/web/page/typeface.woff
	rm -rf $(VENV) $(NODE) tests/page/scripts/node_modules build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.play: pyproject.toml
	.ci/environment.sh $(VENV) --editable '.[broker]'
	touch $@

$(VENV)/.dev: pyproject.toml
	.ci/environment.sh $(VENV) --editable '.[dev]'
	touch $@ $(VENV)/.play

$(BIN)/pip:
	.ci/environment.sh $(VENV)

$(NODE)/.installed: tests/node/package.json
	tests/node/install.sh

# In an environment of its own, because it pins every library it needs.
$(ESPHOME)/.installed: tests/displays/esphome.txt
	.ci/environment.sh $(ESPHOME) -r $<
	touch $@

# In an environment of its own, because its program is none of Python's.
$(NATS)/.installed: tests/venue/nats.txt
	.ci/environment.sh $(NATS) -r $<
	touch $@
