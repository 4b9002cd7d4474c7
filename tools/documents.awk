# Rewrites the links of a Markdown document for tools/documents.sh.
# variables: file, the document; list, a file with the paths that are shipped; repository, where the others are, or nothing

BEGIN {
    RS = "\001"
    while ((getline path <list) > 0) {
        count = split(path, paths, "\n")
        for (i = 1; i <= count; i++) {
            shipped[paths[i]] = 1
            # A folder is shipped if a file of it is.
            for (folder = paths[i]; sub(/\/[^\/]*$/, "", folder);) shipped[folder] = 1
        }
    }
    base = file
    if (!sub(/\/[^\/]*$/, "", base)) base = ""
}

# The path from the root of the project of a link's target.
function resolved(target, steps, kept, i, n, m, path) {
    n = split((base == "" ? "" : base "/") target, steps, "/")
    m = 0
    for (i = 1; i <= n; i++) {
        if (steps[i] == ".." && m > 0) m--
        else if (steps[i] != "." && steps[i] != "") kept[++m] = steps[i]
    }
    path = ""
    for (i = 1; i <= m; i++) path = path (i > 1 ? "/" : "") kept[i]
    return path
}

# The place of the bracket that the one at the end of the text closes.
function opening(text, depth, i, c) {
    depth = 1
    for (i = length(text); i > 0; i--) {
        c = substr(text, i, 1)
        if (c == "]") depth++
        if (c == "[" && --depth == 0) return i
    }
    return 0
}

{
    done = ""
    rest = $0
    while (match(rest, /\]\([^()\n]*\)/)) {
        text = substr(rest, 1, RSTART - 1)
        target = substr(rest, RSTART + 2, RLENGTH - 3)
        after = substr(rest, RSTART + RLENGTH)
        path = target
        sub(/#.*/, "", path)
        path = path == "" ? file : resolved(path)
        done = done text
        if (target ~ /^[a-z]+:/ || path in shipped) done = done "](" target ")"
        else if (repository != "") done = done "](" repository "/blob/HEAD/" path ")"
        else if ((at = opening(done)) > 0) done = substr(done, 1, at - 1) substr(done, at + 1)
        rest = after
    }
    printf "%s%s", done, rest
}
