# rdmactl. Quiet by default; V=1 shows commands, SAN=1 builds with sanitizers, B=DIR builds elsewhere.
#
#   make             the program, build/rdmactl
#   make deps        installs what building and testing need, and says what it does
#   make demo        installs, builds, boots a virtual machine with two simulated NICs and tells the story
#   make check       every test that needs no virtual machine; about two minutes, no root once packages are there
#   make check-vm    the command tests in the virtual machine, on Linux 6.1 and 6.12
#   make check-long  what takes longer: sanitizers, clang, longer fuzzing, more random policies
#   make bench       what a drift check costs against the floor and the tools' loops
#   make man         the manual pages, build/man
#   make collection  the Ansible collection, build/rdmactl-node-VERSION.tar.gz
#   make dist        a tarball of what is committed, build/dist; deb and rpm make packages of it
#   make check-deb          the tarball and Debian's packages, judged by lintian; a minute
#   make check-packages     and built again elsewhere, as RPM, and installed into a clean Debian; two minutes
#   make lint fuzz fuzzers install uninstall install-ansible clean

V ?= 0
Q := $(if $(filter 0,$(V)),@,)
# Said here alone: `make dist` writes it into debian/changelog and rdmactl.spec, `make install-ansible` into galaxy.yml.
VERSION := 0.1.0
# In the head of each page of the manual, so that they are the same whenever they are built.
DATE := November 30, 2026
DESTDIR ?=
PREFIX ?= /usr/local
PKGS := libmnl yaml-0.1 json-c
CFLAGS ?= -O2 -g
ifeq ($(LIBFUZZER),1)
B ?= build-libfuzzer
CC := clang
SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else ifeq ($(SAN),1)
B ?= build-san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
B ?= build
endif

WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wshadow
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(WARN) -fstack-protector-strong $(SANITIZE) -DVERSION='"$(VERSION)"' -Ilib -Icmd \
	$(shell pkg-config --cflags $(PKGS) smartcols 2>/dev/null)
# Loading a shared library costs as much as reading several ports, so these come from their archives, where there are
# any. STATIC=0 links them as a distribution wants it.
STATIC ?= 1
archive = $(if $(filter 1,$(STATIC)),$(or $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)),-l$(1)),-l$(1))
LIBS = $(call archive,mnl) $(call archive,yaml) $(call archive,json-c) -ldl
LDFLAGS_ALL = -Wl,-O1 -Wl,--as-needed -Wl,--hash-style=gnu $(SANITIZE)

LIB_SRC := $(sort $(wildcard lib/*/*.c))
CMD_SRC := $(sort $(filter-out cmd/machine.c,$(wildcard cmd/*.c)))
SIM_SRC := $(sort $(filter-out tests/sim/simctl.c tests/sim/machine.c,$(wildcard tests/sim/*.c)))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
OBJ = $(patsubst %.c,$(B)/%.o,$(1))
UNITS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC)) $(B)/exhaust/order $(B)/exhaust/faults
EXHAUST := $(patsubst %,$(B)/tests/exhaust/%.o,pairs safety brute)

.PHONY: all deps build man tests check check-long check-vm check-deb check-packages demo bench fuzz fuzzers lint samples
.PHONY: install uninstall install-ansible collection dist deb rpm clean FORCE
.SECONDARY:

all: $(B)/rdmactl

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $<")
	$(Q)$(CC) $(CFLAGS_ALL) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/lib/nos/templates.o: $(wildcard templates/switch/*)

$(B)/librdmactl.a: $(call OBJ,$(LIB_SRC))
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/libsim.a: $(call OBJ,$(SIM_SRC))
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

define link
$(if $(Q),@echo "  LD    $@")
$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(1)
endef

$(B)/rdmactl: $(call OBJ,$(CMD_SRC) cmd/machine.c) $(B)/librdmactl.a
	$(call link)

# The same program over a kernel in memory.
$(B)/rdmactl-sim: $(call OBJ,$(CMD_SRC) tests/sim/machine.c) $(B)/libsim.a $(B)/librdmactl.a
	$(call link)

$(B)/simctl: $(B)/tests/sim/simctl.o $(B)/libsim.a $(B)/librdmactl.a
	$(call link)

$(B)/unit/%: $(B)/tests/unit/%.o $(B)/cmd/catalog.o $(B)/cmd/judge.o $(B)/libsim.a $(B)/librdmactl.a
	$(call link,-lcmocka)

$(B)/exhaust/%: $(B)/tests/exhaust/%.o $(EXHAUST) $(B)/cmd/catalog.o $(B)/libsim.a $(B)/librdmactl.a
	$(call link,-lcmocka)

# With LIBFUZZER=1 clang's library takes the place of the driver.
$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(if $(LIBFUZZER),,$(B)/tests/fuzz/driver.o) $(B)/cmd/catalog.o $(B)/cmd/judge.o $(B)/librdmactl.a
	$(call link,$(if $(LIBFUZZER),-fsanitize=fuzzer))

-include $(shell find $(B) -name '*.d' -type f 2>/dev/null)

# Made of stories and of the tables that the program is made of.
$(B)/manual: $(B)/cmd/man/manual.o $(call OBJ,$(filter-out cmd/main.c,$(CMD_SRC)) cmd/machine.c) $(B)/librdmactl.a
	$(call link)

$(B)/man/made: $(B)/manual $(wildcard docs/man/*)
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && $< "$(DATE)" docs/man $(@D) && touch $@

man: $(B)/man/made

deps:
	$(Q)tests/deps

build: $(B)/rdmactl $(B)/rdmactl-sim $(B)/simctl $(B)/man/made $(B)/ansible/galaxy.yml
tests: build $(UNITS) $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRC))

# Packages first, in a make of its own: what pkg-config says is known only then.
check:
	$(Q)tests/deps check
	$(Q)$(MAKE) --no-print-directory -j$(shell nproc) tests
	$(Q)$(MAKE) --no-print-directory lint
	$(Q)$(MAKE) --no-print-directory fuzz SECONDS_EACH=0
	$(Q)B=$(B) tests/run $(UNITS)

check-long: check
	$(Q)EXHAUST=all $(B)/exhaust/order
	$(Q)EXHAUST=all $(B)/exhaust/faults
	$(Q)$(MAKE) --no-print-directory SAN=1 -j$(shell nproc) tests
	$(Q)B=build-san tests/run $(patsubst $(B)/%,build-san/%,$(UNITS))
	$(Q)$(MAKE) --no-print-directory B=build-clang CC=clang CFLAGS="-O2 -Werror" -j$(shell nproc) tests
	$(Q)$(MAKE) --no-print-directory SAN=1 fuzz SECONDS_EACH=60
	$(Q)B=$(B) tests/long/kill-sim
	$(Q)tests/deps vm
	$(Q)tests/deps system
	$(Q)EACH=1 TREES=200 PARTS='boot many' B=$(B) tests/vm/check
	$(Q)B=$(B) tests/vm/reboots
	$(Q)B=$(B) tests/long/kill

check-deb:
	$(Q)tests/deps packages
	$(Q)$(MAKE) --no-print-directory deb
	$(Q)B=$(B) tests/run -n tests/packages/debian.sh

check-packages: check-deb
	$(Q)B=$(B) tests/run -n -t 1800 $(filter-out tests/packages/debian.sh,$(wildcard tests/packages/*.sh))

check-vm:
	$(Q)tests/deps vm
	$(Q)$(MAKE) --no-print-directory -j$(shell nproc) $(B)/rdmactl $(B)/ansible/galaxy.yml
	$(Q)B=$(B) tests/vm/check

demo:
	$(Q)B=$(B) tests/vm/demo

bench:
	$(Q)tests/deps vm
	$(Q)$(MAKE) --no-print-directory -j$(shell nproc) $(B)/rdmactl
	$(Q)B=$(B) tests/bench/run

# libFuzzer finds its way by what a branch depends on: tests/long/libfuzzer
fuzzers: $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRC))

SECONDS_EACH ?= 5
fuzz: tests
	$(Q)for f in $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRC)); do $$f -s $(SECONDS_EACH) tests/fuzz/corpus/$${f##*/} || exit 1; done

lint: $(B)/man/made
	$(Q)tests/lint/check
	$(Q)tests/lint/manual $(B)/man/*.[578]

# Units and the udev rule go to where systemd and udev look, also with another PREFIX. Nothing is enabled.
SBINDIR ?= $(PREFIX)/sbin
DOCDIR ?= $(PREFIX)/share/doc/rdmactl
DATADIR ?= $(PREFIX)/share/rdmactl
UNITDIR ?= $(or $(shell pkg-config --variable=systemdsystemunitdir systemd 2>/dev/null),/usr/lib/systemd/system)
UTILDIR ?= $(or $(shell pkg-config --variable=systemdutildir systemd 2>/dev/null),/usr/lib/systemd)
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
TMPFILESDIR ?= $(or $(shell pkg-config --variable=tmpfilesdir systemd 2>/dev/null),/usr/lib/tmpfiles.d)
UDEVDIR ?= $(or $(shell pkg-config --variable=udevdir udev 2>/dev/null),/usr/lib/udev)
part = -e '/^@$(1)@$$/{r templates/systemd/$(2).inc' -e 'd;}'
fill = sed $(call part,ENABLED,enabled) $(call part,RUN,run) $(call part,HARDENING,hardening) $(call part,WRITES,writes) \
	$(call part,READS,reads) \
	-e 's|@SBINDIR@|$(SBINDIR)|g' -e 's|@DOCDIR@|$(DOCDIR)|g' -e 's|@UTILDIR@|$(UTILDIR)|g'

# Another PREFIX makes anew what is filled: a unit that starts a program of another place would fail with the next boot.
PLACES := $(SBINDIR) $(DOCDIR) $(DATADIR) $(UTILDIR)
ifneq ($(file <$(B)/places),$(PLACES))
$(B)/places: FORCE
endif
$(B)/places:
	@mkdir -p $(@D)
	@echo '$(PLACES)' >$@
FORCE:

$(B)/%.service: templates/systemd/%.service $(wildcard templates/systemd/*.inc) $(B)/places
	@mkdir -p $(@D)
	$(Q)$(fill) $< >$@

$(B)/%.timer: templates/systemd/%.timer $(B)/places
	@mkdir -p $(@D)
	$(Q)$(fill) $< >$@

$(B)/cron/%: templates/cron/% $(B)/places
	@mkdir -p $(@D)
	$(Q)$(fill) $< >$@

$(B)/monitoring/%: templates/monitoring/% $(B)/places
	@mkdir -p $(@D)
	$(Q)$(fill) $< >$@ && chmod --reference=$< $@

$(B)/%.rules: templates/udev/%.rules $(B)/places
	@mkdir -p $(@D)
	$(Q)$(fill) $< >$@

# What the first line of a policy points an editor at: where the schema is installed.
$(B)/policies/%.yaml: policies/%.yaml $(B)/places
	$(Q)mkdir -p $(@D) && sed '1s|$$schema=.*|$$schema=$(DATADIR)/policy.schema.json|' $< >$@

# What messages, remedies and units name, and whatever these pages link to: all of them.
PAGES := $(wildcard docs/*.md docs/*.schema.json)

POLICIES := $(wildcard policies/*.yaml)
UNITS_OURS := $(addprefix $(B)/,$(notdir $(wildcard templates/systemd/*.service templates/systemd/*.timer)))
# For other programs to run, copied and changed by whoever wants them: docs/monitoring.md
SAMPLES := $(patsubst templates/%,$(B)/%,$(wildcard templates/cron/* templates/monitoring/*))
samples: $(UNITS_OURS) $(SAMPLES)
# A directory from which ansible-galaxy installs: docs/ansible.md. COLLECTION= leaves it to install-ansible, as packages do.
COLLECTION = $(COLLECTION_FILES)
COLLECTION_FILES := $(shell find ansible -type f -not -path '*/tests/*' -not -name '*.pyc' -not -name '*.in')

$(B)/ansible/galaxy.yml: ansible/galaxy.yml.in Makefile
	$(Q)mkdir -p $(@D) && sed 's/@VERSION@/$(VERSION)/' $< >$@

install: $(B)/rdmactl $(B)/man/made $(B)/ansible/galaxy.yml samples $(B)/90-rdmactl.rules $(addprefix $(B)/,$(POLICIES))
	install -D -m 755 $(B)/rdmactl $(DESTDIR)$(SBINDIR)/rdmactl
	install -D -m 644 -t $(DESTDIR)$(UNITDIR) $(UNITS_OURS)
	install -D -m 644 -t $(DESTDIR)$(UDEVDIR)/rules.d $(B)/90-rdmactl.rules
	install -D -m 644 -t $(DESTDIR)$(TMPFILESDIR) templates/tmpfiles/rdmactl.conf
	install -D -m 644 -t $(DESTDIR)$(DOCDIR) $(PAGES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/rdmactl/switch $(wildcard templates/switch/*)
	install -D -m 644 -t $(DESTDIR)$(DATADIR)/policies $(addprefix $(B)/,$(POLICIES))
	install -D -m 644 -t $(DESTDIR)$(DATADIR)/cron $(filter $(B)/cron/%,$(SAMPLES))
	install -D -m 644 -t $(DESTDIR)$(DATADIR)/monitoring $(filter $(B)/monitoring/%,$(SAMPLES))
	chmod 755 $(DESTDIR)$(DATADIR)/monitoring/slurm-healthcheck
	$(Q)for f in $(COLLECTION); do install -D -m 644 $$f $(DESTDIR)$(DATADIR)/$$f || exit 1; done
	$(if $(COLLECTION),install -m 644 $(B)/ansible/galaxy.yml $(DESTDIR)$(DATADIR)/ansible/)
	for s in 5 7 8; do install -D -m 644 -t $(DESTDIR)$(MANDIR)/man$$s $(B)/man/*.$$s || exit 1; done
	install -D -m 644 completions/rdmactl.bash $(DESTDIR)$(BASHDIR)/rdmactl
	install -D -m 644 -t $(DESTDIR)$(ZSHDIR) completions/_rdmactl
	install -D -m 644 -t $(DESTDIR)$(FISHDIR) completions/rdmactl.fish
	$(B)/rdmactl schema >$(DESTDIR)$(DATADIR)/policy.schema.json

# Whatever `make install` with the same PREFIX puts there, and no more: what rdmactl wrote by itself, `rdmactl forget` takes away
# before. Units do not move with PREFIX: those of another installation, a package's perhaps, stay, and so does all else then.
uninstall:
	$(Q)unit="$(DESTDIR)$(UNITDIR)/rdmactl.service"; [ ! -e "$$unit" ] || grep -qF '=$(SBINDIR)/rdmactl apply' "$$unit" || { \
		echo "uninstall: $$unit is of another installation: give its PREFIX, or remove its package" >&2; exit 1; }
	$(Q)rm -rf $(B)/installed
	$(Q)$(MAKE) --no-print-directory -s install DESTDIR=$(B)/installed >/dev/null
	$(Q)bad=0; for f in $$(find $(B)/installed ! -type d -printf '%P\n'); do rm -f "$(DESTDIR)/$$f" || bad=1; done; \
	for d in $$(find $(B)/installed -depth -type d -printf '%P\n' | grep rdmactl); do \
		[ ! -d "$(DESTDIR)/$$d" ] || rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$d" || bad=1; done; \
	rm -rf $(B)/installed; exit $$bad

# For the host that Ansible runs on. What only tests it stays behind.
COLLECTIONSDIR ?= $(PREFIX)/share/ansible/collections/ansible_collections
install-ansible: $(B)/ansible/galaxy.yml
	$(Q)for f in $(COLLECTION_FILES); do \
		install -D -m 644 $$f $(DESTDIR)$(COLLECTIONSDIR)/rdmactl/node/$${f#ansible/} || exit 1; \
	done
	install -m 644 $< $(DESTDIR)$(COLLECTIONSDIR)/rdmactl/node/

collection:
	$(Q)rm -rf $(B)/collection
	$(Q)$(MAKE) --no-print-directory -s install-ansible DESTDIR= COLLECTIONSDIR=$(B)/collection
	$(Q)ansible-galaxy collection build --force --output-path $(B) $(B)/collection/rdmactl/node

# Of what is committed, as of the commit's time, so that it is the same whoever makes it.
DIST = $(B)/dist/rdmactl-$(VERSION)
dist:
	$(Q)git rev-parse -q --verify HEAD >/dev/null || { echo "dist: a tarball is made in a clone of the repository" >&2; exit 1; }
	$(Q)git diff --quiet HEAD || echo "dist: what is not committed is left out" >&2
	$(Q)rm -rf $(DIST) && mkdir -p $(DIST) && chmod 755 $(DIST)
	$(Q)git -c tar.umask=022 archive HEAD | tar -xp -C $(DIST)
	$(Q)at=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} && export LC_ALL=C TZ=UTC0 && cd $(DIST) && \
	sed -i 's/^VERSION := .*/VERSION := $(VERSION)/' Makefile && for f in debian/changelog rdmactl.spec; do \
		sed -e 's/@VERSION@/$(VERSION)/g' -e "s/@DATE@/$$(date -R -d "@$$at")/" \
			-e "s/@RPMDATE@/$$(date -d "@$$at" '+%a %b %d %Y')/" $$f.in >$$f && chmod 644 $$f || exit 1; \
	done && cd .. && tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --mtime="@$$at" -c rdmactl-$(VERSION) | \
		gzip -9n >rdmactl-$(VERSION).tar.gz
	@echo $(DIST).tar.gz

# Neither knows of how this make was called.
clean_env = env -i PATH="$$PATH" HOME="$$HOME" LC_ALL=C.UTF-8
deb: dist
	$(Q)rm -f $(B)/dist/*.deb
	$(Q)(cd $(DIST) && $(clean_env) DEB_BUILD_OPTIONS="$(DEB_BUILD_OPTIONS)" dpkg-buildpackage -us -uc -F) >$(B)/dist/deb.log 2>&1 || \
		{ tail -n 40 $(B)/dist/deb.log >&2; exit 1; }
	@ls $(B)/dist/*.deb

RPMFLAGS ?=
rpm: dist
	$(Q)rm -rf $(B)/dist/rpm
	$(Q)$(clean_env) rpmbuild -tb $(RPMFLAGS) --define "_topdir $(abspath $(B))/dist/rpm" $(DIST).tar.gz \
		>$(B)/dist/rpm.log 2>&1 || { tail -n 40 $(B)/dist/rpm.log >&2; exit 1; }
	@ls $(B)/dist/rpm/RPMS/*/*.rpm

clean:
	rm -rf build build-san build-clang
