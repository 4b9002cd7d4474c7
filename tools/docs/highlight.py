"""Syntax highlighting of the languages in this project's examples: comments, strings, numbers, keywords, preprocessor directives."""

import html
import re

KEYWORDS = {
    "c": """alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern
        false final float for friend goto if inline int long namespace new noexcept nullptr operator override private protected public
        return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void
        volatile while int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t NULL""",
    "rust": """as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref
        return self static struct super trait true type unsafe use where while""",
    "go": """break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package
        range return select struct switch true type var""",
    "java": """abstract bool boolean break byte case catch char class const continue default do double else enum extends false final
        finally float for foreach if implements import in int interface internal is long namespace new null out private protected public
        readonly ref return short static string struct super switch this throw throws true try uint ulong unsafe using var void while""",
    "js": """async await break case catch class const continue default delete do else export extends false finally for from function if
        import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield""",
    "python": """and as assert async await break class continue def del elif else except False finally for from global if import in is
        lambda None nonlocal not or pass raise return True try while with yield""",
    "sh": "case do done elif else esac exec exit export fi for function if in local return set shift then trap unset until while",
    "r": "break else FALSE for function if in library NULL NA next repeat return TRUE while",
    "toml": "true false",
}  # fmt: skip
LANGUAGES = {
    "h": "c", "cpp": "c", "hpp": "c", "rs": "rust", "cs": "java", "mjs": "js", "ts": "js", "py": "python", "bash": "sh",
}  # fmt: skip
DOUBLE = r'"(?:\\.|[^"\\\n])*"'
# A single character only: Rust's lifetimes also begin with a quote.
CHARACTER = r"'(?:\\[^'\n]+|[^'\\\n])'"
SINGLE = r"'(?:\\.|[^'\\\n])*'"
C_COMMENT = r"/\*.*?\*/|//[^\n]*"
HASH_COMMENT = r"(?<![^\s;(])\#[^\n]*"
WORD = r"(?P<number>\b\d[\w.]*)|(?P<word>[A-Za-z_]\w*)"


def pattern(comment, string, before=""):
    """The token regex of a language."""
    return re.compile(rf"{before}(?P<comment>{comment})|(?P<string>{string})|{WORD}", re.DOTALL | re.MULTILINE)


PATTERNS = {
    "c": pattern(C_COMMENT, f"{DOUBLE}|{CHARACTER}", r"(?P<macro>^[ \t]*\#[ \t]*\w+(?:[ \t]*<[\w./]+>)?)|"),
    "rust": pattern(C_COMMENT, f"{DOUBLE}|{CHARACTER}", r"(?P<macro>^[ \t]*\#!?\[[^\n]*\])|"),
    "go": pattern(C_COMMENT, f"{DOUBLE}|{CHARACTER}|`[^`]*`"),
    "java": pattern(C_COMMENT, f"{DOUBLE}|{CHARACTER}"),
    "js": pattern(C_COMMENT, f"{DOUBLE}|{SINGLE}|`[^`]*`"),
    "python": pattern(HASH_COMMENT, rf'""".*?"""|{DOUBLE}|{SINGLE}'),
    "sh": pattern(HASH_COMMENT, f"{DOUBLE}|'[^']*'"),
    "r": pattern(HASH_COMMENT, f"{DOUBLE}|{SINGLE}"),
    "toml": pattern(HASH_COMMENT, f"{DOUBLE}|{SINGLE}"),
}
WORDS = {language: frozenset(words.split()) for language, words in KEYWORDS.items()}


def render(text, language, address=lambda name: None):
    """Renders code as HTML, without highlighting if the language is unknown; `address` maps names of the interface to URLs or None."""
    language = (language or "").lower()
    language = LANGUAGES.get(language, language)
    out, end = [], 0
    for token in PATTERNS[language].finditer(text) if language in PATTERNS else ():
        out.append(linked(text[end : token.start()], address))
        kind = token.lastgroup
        if kind == "word":
            kind = "keyword" if token[0] in WORDS[language] else ""
        shown = linked(token[0], address)
        out.append(f'<span class="{kind}">{shown}</span>' if kind else shown)
        end = token.end()
    out.append(linked(text[end:], address))
    return "".join(out)


def linked(text, address):
    """Escapes text and links names of the interface."""
    def link(name):
        target = address(name[0])
        return f'<a href="{target}">{name[0]}</a>' if target else name[0]

    return re.sub(r"\b(?:tiledb|capi|TILEDB)_\w+", link, html.escape(text, quote=False))
