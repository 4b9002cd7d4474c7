#!/bin/sh
# Tests tools/hooks/commit-msg with messages that it accepts and rejects.
set -eu

hook=$(dirname "$0")/hooks/commit-msg
file=$(mktemp)
trap 'rm -f "$file"' EXIT

accepts() {
    printf "$1" >"$file"
    "$hook" "$file" || { echo "rejected: $1" >&2; exit 1; }
}

# Message, and a part of the problem.
rejects() {
    printf "$1" >"$file"
    if output=$("$hook" "$file" 2>&1); then
        echo "accepted: $1" >&2
        exit 1
    fi
    case $output in
    *"$2"*) ;;
    *) echo "another reason than '$2': $output" >&2; exit 1 ;;
    esac
}

accepts 'query/sparse: merge fragments on all threads\n\nReads of 40 fragments take 1.2 s after 2.1 s.\n'
accepts '# a comment of git\ntests, docs: say how seeds are chosen\n\nNobody knew.\n# another\n'
accepts 'Merge branch x\n'
accepts 'fixup! query: merge\n'
rejects 'merge fragments\n\nWhy.\n' 'does not begin with the area'
rejects 'query: merge fragments.\n\nWhy.\n' 'full stop'
rejects 'query: merge fragments; read less\n\nWhy.\n' 'semicolon'
rejects 'query: added a merge\n\nWhy.\n' "imperative: 'added'"
rejects 'query: fixes merges\n\nWhy.\n' "imperative: 'fixes'"
rejects 'query: merge fragments\nWhy.\n' 'second line'
rejects 'query: merge fragments\n' 'no body'
rejects 'query: merge fragments\n\nSigned-off-by: A <a@b.c>\n' 'no body'
rejects "query: $(printf '%0100d' 0)\n\nWhy.\n" '100 characters'
echo "commit messages: as they should be"
