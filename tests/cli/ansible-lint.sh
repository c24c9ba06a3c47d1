#!/bin/bash
# The Ansible collection by Ansible's own judges: ansible-lint's production profile, the sanity tests that need no
# network, validate-modules, and the pages that ansible-doc makes; no machine is needed.
# shellcheck disable=SC2154	# out, err, status: lib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ansible-lib"

# What ansible-test makes an environment for, from the network; below they run with the distribution's packages.
NEEDS_NETWORK='ansible-doc|changelog|import|pep8|pslint|pylint|runtime-metadata|shellcheck|validate-modules|yamllint'

setUp() {
	T=$(mktemp -d "${SHUNIT_TMPDIR:?}/test.XXXXXX")
	collection "$T"
	cd "$T/ansible_collections/rdmactl/node" || return
	sanity=$("$ansible_python" -c 'import ansible_test, os; print(os.path.dirname(ansible_test.__file__))')/_util/controller/sanity
}

# quietly COMMAND [ARG]...: it ends with 0; its output is shown if not
quietly() {
	assertStatus 0 env HOME="$T" PATH=/usr/bin:/bin ANSIBLE_COLLECTIONS_PATH="$T" ANSIBLE_NOCOLOR=1 "$@"
}

# The collection has the version of the program, and the profile wants 1.0.0 of a collection.
test_production_profile() {
	quietly ansible-lint --nocolor --offline --profile production -x 'galaxy[version-incorrect]'
	assertContains "$out$err" "Passed with production profile: 0 failure(s), 0 warning(s)"
}

test_sanity() {
	local tests=() t
	quietly ansible-test sanity --list-tests
	for t in $(grep -vxE "$NEEDS_NETWORK" <<<"$out"); do tests+=(--test "$t"); done
	assertTrue "there are tests" "[ ${#tests[@]} -gt 30 ]"
	quietly ansible-test sanity --python default "${tests[@]}"
}

test_validate_modules() {
	run env HOME="$T" PATH=/usr/bin:/bin ANSIBLE_COLLECTIONS_PATH="$T" ANSIBLE_NOCOLOR=1 \
		PYTHONPATH="$sanity/validate-modules:$T" "$ansible_python" "$sanity/validate-modules/validate.py" --format json \
		--arg-spec --collection ansible_collections/rdmactl/node plugins/modules/*.py
	assertEquals "but for the licence, which is our own" missing-gplv3-license \
		"$(json '[.[] | (.errors + .warnings)[] | .code] | unique | .[]')"
}

test_style() {
	quietly yamllint -s -c "$sanity/yamllint/config/default.yml" .
	quietly pycodestyle --max-line-length 160 --ignore "$(paste -sd, "$sanity/pep8/current-ignore.txt")" plugins
	quietly env PYTHONPATH="$sanity/pylint/plugins:$T" ANSIBLE_TEST_MODULES_PATH=plugins/modules/ \
		ANSIBLE_TEST_MODULE_UTILS_PATH=plugins/module_utils/ ANSIBLE_TEST_COLLECTION_NAME=rdmactl.node \
		pylint --rcfile "$sanity/pylint/config/collection.cfg" --load-plugins string_format,unwanted plugins/*/*.py
}

test_documentation() {
	local module
	for module in rdmactl_apply rdmactl_info; do
		quietly ansible-doc -j -t module rdmactl.node.$module
		assertEquals "each option is told of" 0 "$(json '[.[].doc.options[] | select(.description | not)] | length')"
	done
	quietly ansible-doc -t role rdmactl.node.rdmactl
	assertOut rdmactl_reload_window
}

test_packages() {
	local version
	quietly make -C "$TOP" -s B="$B" collection
	version=$("$RDMACTL" version -o json | jq -r .rdmactl)
	assertTrue "the collection is built, and has the program's version" "[ -s '$B/rdmactl-node-$version.tar.gz' ]"
	quietly ansible-galaxy collection install --offline -p "$T/packed" "$B/rdmactl-node-$version.tar.gz"
	assertFalse "what tests it stays behind" "[ -e '$T/packed/ansible_collections/rdmactl/node/tests' ]"
	quietly ansible-galaxy collection install --offline -p "$T/installed" "$PWD"
	assertTrue "a directory does as well" "[ -e '$T/installed/ansible_collections/rdmactl/node/MANIFEST.json' ]"
}

. shunit2
