# rdmactl. Quiet by default; V=1 shows commands, SAN=1 builds with sanitizers, B=DIR builds elsewhere.
CC ?= gcc
B ?= build
V ?= 0
Q := $(if $(filter 0,$(V)),@,)
VERSION := 0.1.0
PREFIX ?= /usr
PKGS := libmnl yaml-0.1 json-c
CFLAGS ?= -O2 -g
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wshadow -Werror=implicit-function-declaration -fstack-protector-strong \
	-DVERSION='"$(VERSION)"' -Ilib $(shell pkg-config --cflags $(PKGS) libnl-genl-3.0 2>/dev/null)
LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -ldl
LDFLAGS_ALL := -Wl,-O1 -Wl,--as-needed -Wl,-z,now -Wl,--hash-style=gnu
ifeq ($(SAN),1)
CFLAGS_ALL += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS_ALL += -fsanitize=address,undefined
B := build-san
endif

LIB_SRC := $(sort $(wildcard lib/*/*.c))
CMD_SRC := $(sort $(wildcard cmd/*.c))
SIM_SRC := $(sort $(wildcard tests/sim/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
OBJ = $(patsubst %.c,$(B)/%.o,$(1))
UNITS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC))

all: $(B)/rdmactl

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $<")
	$(Q)$(CC) $(CFLAGS_ALL) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/librdmactl.a: $(call OBJ,$(LIB_SRC))
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/rdmactl: $(call OBJ,$(CMD_SRC)) $(B)/librdmactl.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)

-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: all clean
clean:
	rm -rf build build-san
