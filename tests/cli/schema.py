# SPDX-License-Identifier: Apache-2.0
# For schema.sh: holds policies against the JSON Schema, and the schema's keys against the parser.
#
#   schema.py check SCHEMA FILE...    "ok FILE" or "bad FILE: where: why" for each
#   schema.py keys SCHEMA             a policy that has every key of the schema, most of them null
import json
import re
import sys

import jsonschema
import yaml


class Reader(yaml.SafeLoader):
    """YAML 1.2's idea of scalars, which editors have: no dates, no `on`, no octal 010."""


Reader.yaml_implicit_resolvers = {}
Reader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(null|~|)$"), ["n", "~", ""])
Reader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), ["t", "f"])
Reader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(0|[1-9][0-9]*)$"), list("-0123456789"))
Reader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^-?[0-9]+\.[0-9]+$"), list("-0123456789"))
Reader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"^<<$"), ["<"])


def text_keys(value):
    """Keys of JSON are texts."""
    if isinstance(value, dict):
        return {str(k): text_keys(v) for k, v in value.items()}
    if isinstance(value, list):
        return [text_keys(v) for v in value]
    return value


def check(schema, paths):
    jsonschema.Draft7Validator.check_schema(schema)
    judge = jsonschema.Draft7Validator(schema)
    for path in paths:
        with open(path, encoding="utf-8-sig") as f:
            policy = text_keys(yaml.load(f, Reader))
        why = next(judge.iter_errors(policy), None)
        where = ".".join(str(p) for p in why.absolute_path) if why else ""
        print(f"bad {path}: {where}: {why.message[:160]}" if why else f"ok {path}")


# Names for what a policy names itself, and values where null is not taken.
NAMED = {"fabrics": "f", "classes": "c", "tiers": "t", "links": "l", "profiles": "p", "nodes": "n", "cohorts": "k", "ports": "g"}
VALUES = {"extends": [], "include": [], "labels": {"a": "b"}, "hash": "1%", "because": "b", "until": "2027-01-31", "version": 1,
          "requires": ">=0.1", "revision": "r", "cluster": "c"}


def every_key(schema, node, name, depth=0):
    """A value that has every key that the schema allows at this place."""
    assert depth < 40, name
    if "$ref" in node:
        node = schema["definitions"][node["$ref"].rsplit("/", 1)[1]]
    for choice in node.get("anyOf", []):
        if choice.get("type") == "object" and "propertyNames" not in choice or "$ref" in choice:
            return every_key(schema, choice, name, depth + 1)
    if node.get("type") == ["array", "null"]:
        return [every_key(schema, node["items"], name, depth + 1)]
    if node.get("type") != "object" or not ("properties" in node or "patternProperties" in node):
        return VALUES.get(name)
    value = {k: every_key(schema, v, k, depth + 1) for k, v in node.get("properties", {}).items()}
    for below in node.get("patternProperties", {}).values():
        value[NAMED.get(name, "x")] = every_key(schema, below, "", depth + 1)
    return value


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        the_schema = json.load(file)
    if sys.argv[1] == "check":
        check(the_schema, sys.argv[3:])
    else:
        print(json.dumps(every_key(the_schema, the_schema, "")))
