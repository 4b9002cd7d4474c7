//! The page that people see at the address of a published array or group.

use std::fmt::Write;

use tiledb::publish::VIEWER_FOLDER;
use tiledb::{ArraySchema, Context, FieldKind};

use crate::model::{Array, Moments, ObjectType, Result, members, object_type};

/// Members of a group that are listed.
const MAX_LISTED_MEMBERS: usize = 200;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}\
table{border-collapse:collapse}td,th{text-align:left;padding:.2rem .8rem;border-bottom:1px solid #8884}\
pre{overflow:auto;padding:.8rem;background:#8882;border-radius:.3rem}";

/// The page of an array or group at `place`, with examples for readers at `url`, and a link to the viewer if it is there. All texts of
/// data are escaped, and the page runs no scripts.
///
/// # Errors
/// If it cannot be read.
pub(super) fn html(ctx: &Context, place: &str, url: Option<&str>, has_viewer: bool) -> Result<String> {
    let name = place.trim_end_matches('/').rsplit('/').next().unwrap_or("array");
    let address = url.map_or_else(|| format!("https://HOST/PATH/{name}"), str::to_owned);
    let (kind, contents, is_array) = match object_type(ctx, place)? {
        ObjectType::Array => ("array", fields(&Array::open(ctx, place, Moments::default())?.array_schema()), true),
        ObjectType::Group => ("group", member_list(ctx, place)?, false),
        ObjectType::Other => ("folder", String::new(), false),
    };
    let link = format!("<p><a href=\"{VIEWER_FOLDER}/index.html?url=..\">Show it in the viewer</a></p>\n");
    let viewer = if has_viewer { link.as_str() } else { "" };
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n<p>A TileDB {kind}.</p>\n{viewer}{contents}<h2>Read it</h2>\n{examples}</body></html>\n",
        title = escaped(name),
        examples = examples(&address, is_array),
    ))
}

fn fields(schema: &ArraySchema) -> String {
    let kind = if schema.is_dense() { "dense" } else { "sparse" };
    let mut rows = String::new();
    for dimension in schema.dimensions() {
        let domain = dimension.domain().map_or(String::new(), |(low, high)| format!("{low} .. {high}"));
        row(&mut rows, &[dimension.name(), "dimension", dimension.datatype().name(), &domain]);
    }
    for attribute in schema.attributes() {
        let Some(field) = schema.field(attribute.name()).filter(|field| field.kind() == FieldKind::Attribute) else {
            continue;
        };
        let details = [(field.is_var(), "variable size"), (field.is_nullable(), "nullable")];
        let details: Vec<_> = details.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| *text).collect();
        row(&mut rows, &[field.name(), "attribute", field.datatype().name(), &details.join(", ")]);
    }
    format!(
        "<h2>Schema</h2>\n<p>The array is {kind}.</p>\n<table><tr><th>field</th><th>kind</th><th>datatype</th><th></th></tr>\n{rows}</table>\n"
    )
}

fn member_list(ctx: &Context, place: &str) -> Result<String> {
    let members = members(ctx, place)?;
    let mut rows = String::new();
    for member in members.iter().take(MAX_LISTED_MEMBERS) {
        row(&mut rows, &[member.label(), member.object.name()]);
    }
    let more = match members.len().saturating_sub(MAX_LISTED_MEMBERS) {
        0 => String::new(),
        more => format!("<p>and {more} more</p>\n"),
    };
    Ok(format!("<h2>Members</h2>\n<table><tr><th>name</th><th>kind</th></tr>\n{rows}</table>\n{more}"))
}

fn row(out: &mut String, cells: &[&str]) {
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    _ = writeln!(out, "<tr>{cells}</tr>");
}

/// How to read it, in several languages.
fn examples(address: &str, is_array: bool) -> String {
    let quoted = address.replace('\\', "\\\\").replace('"', "\\\"");
    if !is_array {
        let python = format!("import tiledb_rs\n\nwith tiledb_rs.Group(\"{quoted}\") as group:\n    print(group)");
        return sections(&[("Shell", format!("tiledb-rs tree \"{quoted}\"")), ("Python", python)]);
    }
    let shell = format!("tiledb-rs info \"{quoted}\"\ntiledb-rs head \"{quoted}\"");
    let python = format!(
        "import tiledb_rs\n\nwith tiledb_rs.open(\"{quoted}\") as array:\n    print(array.schema)\n    print(array.head())"
    );
    let c = format!(
        "tiledb_array_t* array;\ntiledb_array_alloc(ctx, \"{quoted}\", &array);\ntiledb_array_open(ctx, array, TILEDB_READ);"
    );
    let javascript = format!(
        "import {{ open }} from 'tiledb-rs';\n\nconst array = await open(\"{quoted}\");\nconsole.log(await array.read({{ limit: 10 }}));"
    );
    let rust = format!("let array = tiledb::Array::open(&ctx, \"{quoted}\")?;");
    sections(&[("Shell", shell), ("Python", python), ("C", c), ("JavaScript", javascript), ("Rust", rust)])
}

/// A heading and code for each language.
fn sections(examples: &[(&str, String)]) -> String {
    examples.iter().map(|(language, code)| format!("<h3>{language}</h3>\n<pre>{}</pre>\n", escaped(code))).collect()
}

/// A text as HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Neither controls nor marks that change the direction of texts.
            _ if letter == '\n' => out.push(letter),
            _ if letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {
                out.push('\u{fffd}');
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;
    use tiledb::{Attribute, Dimension};

    #[test]
    fn names_of_fields_are_never_html() {
        let ctx = Context::new().unwrap();
        let schema = ArraySchema::sparse()
            .dimension(Dimension::new("<img src=x onerror=alert(1)>", 0..=3_i32))
            .attribute(Attribute::new::<i32>("\"&'</pre>\u{202e}\u{7}"))
            .build()
            .unwrap();
        let place = "mem://<b>page";
        tiledb::Array::create(&ctx, place, &schema).unwrap();
        let page = html(&ctx, place, Some("https://h/\"><script>"), true).unwrap();
        for hostile in ["<img", "<b>", "<script", "\u{202e}", "\u{7}", "&'<"] {
            assert!(!page.contains(hostile), "{hostile}: {page}");
        }
        assert!(
            page.contains("&lt;img src=x onerror=alert(1)&gt;") && page.contains("&quot;&amp;&#39;&lt;/pre&gt;"),
            "{page}"
        );
    }
}
