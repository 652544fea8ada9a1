# Two commands on a fresh machine: `make play` and `make test`. Both set up .venv by themselves, and again only when
# pyproject.toml has changed: the stamps live inside .venv, so that removing it is all it takes to start over.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SILENT:
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help play test long faults crash load rig appliance check format docs pictures bench deb install uninstall libraries clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE := tests/node/node_modules
ESPHOME := build/esphome
# One more than there are processors: many tests wait.
WORKERS ?= --numprocesses $$(( $$(nproc) + 1 )) --dist worksteal
export PATH := $(PATH):/usr/sbin
# Every process of a test would compile the house anew: a minute in all.
unexport PYTHONDONTWRITEBYTECODE

help:
	cat <<-'EOF'
	make play    the demo in the browser, no hardware needed; ARGS="--game burma_road" for its options
	make test    make check, then every test; ARGS="-k cricket" for pytest
	make long    the tests that take minutes
	make faults  a thousand darts while broker and daemon die: prints what happened; ARGS="--seed 7" for other dice
	make crash   the daemon is killed two thousand times while it works, in ten minutes: prints where the kills fell
	make load    thirty-two tables in one daemon for ten minutes: prints the delays beside those of a single table
	make rig     the tests that need a kernel of their own (USB, Bluetooth); it is built first, once, in ten minutes
	make appliance  oche's package in a Debian of its own with systemd, whose power is cut; ten minutes; CUTS=3 for a short form
	make test-ha the tests with a real Home Assistant (needs root); it is installed first, once, in three minutes
	make check   lint, types and the walls between the rooms
	make format  mends what can be mended by itself
	make bench   the benchmarks
	make docs    writes what is generated in docs anew
	make pictures  takes the pictures of the page in docs/pictures anew; ARGS="wall dards" for some
	make deb     the Debian package, in build; ARCH=arm64 DEBIAN=13 for another machine than this one
	make install builds it and installs or updates it here; with sudo. make uninstall leaves only what was played
	make clean   removes .venv and everything that was built
	EOF

play: $(VENV)/.play
	exec $(BIN)/oche play $(ARGS)

test: check
	$(call programs)
	OCHE_WITHOUT="$$without" $(BIN)/python -m pytest $(WORKERS) $(ARGS)

define LONG_PROGRAMS
npm:nodejs npm:of what is written for Node.js
nats-server:nats-server:against a broker that is a cluster
gcc:gcc libc6-dev:of a disk that fails
endef

# What takes minutes: whole sweeps, ten million bytes of fuzz, games against their laws and naive scorers at length.
long: $(VENV)/.dev $(ESPHOME)/.installed
	$(call programs,$(LONG_PROGRAMS))
	unshare --mount mount -t tmpfs none /mnt 2>/dev/null || \
	    unshare --user --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null || {
	    echo "Not run: the tests of a disk that fills up, which need root or the name spaces of a user."
	    without="$${without:+$$without,}namespaces"
	}
	[[ ",$$without," == *,nodejs,* ]] || $(MAKE) $(NODE)/.installed
	OCHE_WITHOUT="$$without" $(BIN)/python -m pytest -m long $(WORKERS) $(ARGS)
	$(BIN)/python -m pytest --hypothesis-profile=long tests/engine $(WORKERS) $(ARGS)

# What those tests run on Node.js. npm leaves its own mark in the folder; ours comes last and says that it is whole.
$(NODE)/.installed: tests/node/package.json
	node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || {
	    echo "The tests on Node.js need its version 18 or newer, and this is $$(node --version)." >&2
	    exit 1
	}
	echo "Installing what the tests run on Node.js: this takes a minute, once."
	npm install --prefix tests/node --loglevel=error >/dev/null
	touch $@

# In an environment of its own, because it pins every library it needs.
$(ESPHOME)/.installed: tests/displays/esphome.txt | $(BIN)/pip
	echo "Installing ESPHome for the tests: this takes a minute, once."
	$(PYTHON) -m venv --clear $(ESPHOME)
	$(ESPHOME)/bin/python -m pip install -qq --disable-pip-version-check -r $< || {
	    echo "ESPHome could not be installed: see the lines above, mend what they name and try again." >&2
	    exit 1
	}
	touch $@

# Also part of `make long`; here one after the other, with its figures.
faults: $(VENV)/.dev
	$(call programs)
	OCHE_WITHOUT="$$without" $(BIN)/python -m pytest -m long tests/faults --capture no $(ARGS)

# Two thousand lives of the daemon. Three hundred of them are part of `make long`, and fifty of `make test`.
crash: $(VENV)/.dev
	$(call programs)
	OCHE_WITHOUT="$$without" $(BIN)/python -m pytest -m '' tests/crash -k 'many_kills or order' --kills 2000 \
	    --override-ini faulthandler_timeout=1800 --capture no $(ARGS)

# Also part of `make long`, for half a minute.
load: $(VENV)/.dev
	$(call programs)
	OCHE_WITHOUT="$$without" $(BIN)/python -m pytest -m long tests/load --load-s 600 \
	    --override-ini faulthandler_timeout=1800 --capture no $(ARGS)

# What the kernel is built with, and what the jobs in it need of this machine: each as a file in /usr and its package.
RIG_BUILD := bin/bc:bc bin/bison:bison bin/flex:flex bin/gcc:gcc bin/make:make bin/xz:xz-utils include/stdio.h:libc6-dev
RIG_JOBS := bin/bluetoothctl:bluez share/dbus-1/system.conf:dbus bin/setpriv:util-linux bin/udevadm:udev \
	sbin/ip:iproute2 lib/x86_64-linux-gnu/libusb-1.0.so.0:libusb-1.0-0

# The kernel itself hangs now and then, on a busy machine more often. A test that it died in is run again, and pytest says so.
HUNG := --reruns 2 --only-rerun '^Dead:'

rig: $(VENV)/.dev
	$(call needs,rig,$(if $(OCHE_RIG_KERNEL),,$(RIG_BUILD)) $(RIG_JOBS))
	kernel=$$(tests/rig/build_kernel.sh)
	OCHE_RIG_KERNEL="$$kernel" $(BIN)/python -m pytest -m rig $(WORKERS) $(HUNG) tests/rig $(ARGS)

# The Debian that oche's package is installed on is made first, once: see tests/appliance/install.sh. It takes root.
CUTS ?= 20
APPLIANCE := bin/mmdebstrap:mmdebstrap sbin/mke2fs:e2fsprogs bin/dh:debhelper sbin/ip:iproute2

appliance: $(VENV)/.dev
	$(call needs,appliance,$(if $(OCHE_RIG_KERNEL),,$(RIG_BUILD)) $(APPLIANCE))
	kernel=$$(tests/rig/build_kernel.sh)
	tests/appliance/install.sh >/dev/null
	package=$${OCHE_DEB:-$$(ARCH=amd64 DEBIAN=12 debian/build.sh $(BIN)/python)}
	OCHE_RIG_KERNEL="$$kernel" OCHE_DEB="$$package" OCHE_CUTS=$(CUTS) \
	    $(BIN)/python -m pytest -m appliance --numprocesses auto --dist loadgroup $(HUNG) tests/appliance tests/package $(ARGS)

# A Home Assistant is installed first, once, in a chroot: see tests/home_assistant/install.sh. It takes root.
test-ha: $(VENV)/.dev
	for need in mosquitto:mosquitto chromium:chromium mmdebstrap:mmdebstrap unshare:util-linux; do
	    command -v $${need%:*} >/dev/null || $(call install,$${need#*:}) || {
	        echo "make test-ha needs more: install the Debian package $${need#*:} and try again." >&2
	        exit 1
	    }
	done
	OCHE_HOME_ASSISTANT="$$(tests/home_assistant/install.sh)" \
	    $(BIN)/python -m pytest -m home_assistant tests/home_assistant $(ARGS)

# All four have their say before it fails.
check: $(VENV)/.dev
	failed=0
	$(BIN)/ruff check --quiet || failed=1
	$(BIN)/ruff format --check --quiet || { failed=1; echo "These files are not formatted: run make format." >&2; }
	$(BIN)/mypy || failed=1
	$(BIN)/lint-imports --no-logo || failed=1
	exit $$failed

format: $(VENV)/.dev
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet

docs: $(VENV)/.dev
	exec $(BIN)/python -m tests.contract

pictures: $(VENV)/.dev
	exec $(BIN)/python -m tests.page.pictures $(ARGS)

bench: $(VENV)/.dev
	exec $(BIN)/python -m tests.bench $(ARGS)

ARCH ?= $(shell dpkg --print-architecture)
DEBIAN ?= $(shell . /etc/os-release && [[ "$${ID:-} $${ID_LIKE:-}" == *debian* ]] && echo $${VERSION_ID:-})

# Prints where the package is.
deb: $(BIN)/pip
	command -v dh >/dev/null || $(call install,debhelper) || {
	    echo "The package is built by debhelper: install the Debian package debhelper and try again." >&2
	    exit 1
	}
	ARCH='$(ARCH)' DEBIAN='$(DEBIAN)' debian/build.sh $(BIN)/python

# Also the update. Built by whom the checkout belongs to, so that nothing in it becomes root's; what the owner has written
# in /etc/oche stays as it is.
install:
	$(call as_root,install)
	$(PYTHON) daemon/doctor/machine.py
	$(call ensurepip)
	command -v dh >/dev/null || $(call install,debhelper)
	owner=$$(stat -c %U .)
	echo "Building the package as $$owner: a minute."
	package=$$(runuser -u "$$owner" -- env HOME="$$(getent passwd "$$owner" | cut -d: -f6)" make -s deb | tail -n 1)
	apt-get update -qq || true
	DEBIAN_FRONTEND=noninteractive apt-get install -qq --reinstall --allow-downgrades \
	    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "./$$package"
	echo "Installed. What now: docs/install.md; what is missing: oche doctor"

uninstall:
	$(call as_root,uninstall)
	apt-get purge -qq oche
	[[ ! -e /var/lib/oche ]] || echo "What was played is still in /var/lib/oche."

# What the package carries: the newest that pyproject.toml allows.
libraries:
	$(PYTHON) -m venv --clear build/libraries
	build/libraries/bin/python -m pip install -qq --disable-pip-version-check --requirement <($(PYTHON) -c \
	    'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")')
	sed -i '/^[^#]/d' debian/libraries.txt
	build/libraries/bin/python -m pip freeze >>debian/libraries.txt

clean:
	rm -rf $(VENV) $(NODE) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.play: pyproject.toml | $(BIN)/pip
	$(call set_up,.[broker])
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/pip
	$(call set_up,.[dev])
	touch $@ $(VENV)/.play

# pip comes last into a new environment, so its presence says that the environment is whole.
$(BIN)/pip:
	$(PYTHON) daemon/doctor/machine.py
	$(call ensurepip)
	$(PYTHON) -m venv --clear $(VENV)

define set_up
	echo "Setting up $(VENV): this takes a minute, once."
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '$(1)' || {
	    echo "The libraries could not be installed: see the lines above, mend what they name and try again." >&2
	    exit 1
	}
endef

define ensurepip
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(call install,python3-venv) || {
	    echo "$(PYTHON) cannot make a virtual environment: install the Debian package python3-venv and try again." >&2
	    exit 1
	}
endef

as_root = [[ $$(id -u) = 0 ]] || { echo "This changes the system: sudo make $(1)" >&2; exit 1; }

# Each is a file in /usr and its package; $(1) is the target.
define needs
	missing=
	for need in $(2); do
	    [[ -e /usr/$${need%:*} ]] || $(call install,$${need#*:}) || missing+=" $${need#*:}"
	done
	[[ -z $$missing ]] || { echo "make $(1) needs more: install the Debian packages$$missing and try again." >&2; exit 1; }
endef

# Root installs the Debian package; for anybody else, and without apt-get, this is false.
install = { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "Installing the Debian package $(1)." >&2 && { \
	apt-get update -qq || true; } && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $(1) >/dev/null; }

# Leaves in $without what cannot be had, and says which tests are therefore not run. Each line: a program that shows
# that the Debian packages behind the colon are there; the first of them is the word for OCHE_WITHOUT. The argument is
# more such lines.
define programs
	without="$${OCHE_WITHOUT:-}"
	while IFS=: read -r program packages what; do
	    [[ -n $$program ]] || continue
	    name=$${packages%% *}
	    if [[ ",$$without," != *",$$name,"* ]]; then
	        command -v $$program >/dev/null || $(call install,$$packages) && continue
	        without="$${without:+$$without,}$$name"
	    fi
	    echo "Not run: the tests $$what, which need the Debian packages $$packages."
	done <<-'EOF'
	mosquitto:mosquitto:against a real MQTT broker
	mosquitto_rr:mosquitto-clients:of what docs/mqtt.md tells to type
	openssl:openssl:of a broker with TLS
	strace:strace:of what is on disk before it is shown
	chromium:chromium libatomic1:of the page in a real browser
	dbus-daemon:dbus-daemon:of Bluetooth boards
	systemd-analyze:systemd:of the service's unit
	umockdev-wrapper:umockdev gir1.2-umockdev-1.0 python3-gi libusb-1.0-0:of USB boards
	$(1)
	EOF
endef
