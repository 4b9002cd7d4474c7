//! The examples in the comments of the C headers, and the names that the comments mention.

use std::collections::BTreeSet;

/// What the examples assume: objects of the usual names.
const PRELUDE: &str = "\
#define TILEDB_RS_NEXT_API
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <tiledb/tiledb_rs.h>
#pragma GCC diagnostic ignored \"-Wshadow\"
#pragma GCC diagnostic ignored \"-Wunused-parameter\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wunused-variable\"
";

const OBJECTS: &str = "tiledb_ctx_t *ctx, tiledb_config_t *config, tiledb_array_t *array, tiledb_array_schema_t *schema, \
                       tiledb_query_t *query, tiledb_subarray_t *subarray, tiledb_vfs_t *vfs, tiledb_group_t *group, \
                       tiledb_fragment_info_t *fragment_info";

/// The lines of the comments of a header, without their stars.
fn comment_lines(header: &str) -> impl Iterator<Item = &str> {
    header.lines().filter_map(|line| line.trim_start().strip_prefix('*'))
}

/// The examples of a header: what stands between fences.
fn examples(header: &str) -> Vec<String> {
    let (mut examples, mut open) = (Vec::new(), None::<String>);
    for line in comment_lines(header) {
        match &mut open {
            None if line.trim() == "```c" => open = Some(String::new()),
            None => {}
            Some(_) if line.trim() == "```" => examples.extend(open.take()),
            Some(example) => {
                example.push_str(line);
                example.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    examples
}

/// What separates the functions that an example defines from the code that uses them.
const FUNCTIONS_END: &str = "// ...\n";

/// A unit with a function for each example, and how many there are.
pub fn unit<'a>(headers: impl Iterator<Item = &'a String>) -> (String, usize) {
    let all: Vec<String> = headers.flat_map(|header| examples(header)).collect();
    let mut unit = PRELUDE.to_owned();
    for (number, example) in all.iter().enumerate() {
        let head = format!("int example_{number}({OBJECTS})");
        let (functions, body) = match example.split_once(&format!("\n {FUNCTIONS_END}")) {
            Some((functions, body)) => (functions, body),
            None => ("", example.as_str()),
        };
        unit.push_str(&format!("{functions}\n{head};\n{head} {{\n{body}  return 0;\n}}\n"));
    }
    (unit, all.len())
}

/// The names in backticks in the comments of the headers that none of them declares.
pub fn unknown_names<'a>(headers: impl Iterator<Item = &'a String> + Clone) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let words = |text: &str| text.split(|c| !is_name(c)).map(str::to_owned).collect::<Vec<_>>();
    let code = |line: &&str| !line.trim_start().starts_with(['*', '/']);
    let declared: BTreeSet<String> =
        headers.clone().flat_map(|header| header.lines().filter(code).flat_map(words)).collect();
    let quoted = |line: &str| line.split('`').skip(1).step_by(2).flat_map(words).collect::<Vec<_>>();
    let mentioned = headers.flat_map(|header| comment_lines(header)).filter(|line| !line.contains("```"));
    let is_ours = |word: &String| {
        let prefix = ["tiledb_", "TILEDB_"].into_iter().find(|prefix| word.starts_with(prefix));
        prefix.is_some_and(|prefix| word.len() > prefix.len())
    };
    mentioned.flat_map(quoted).filter(is_ours).filter(|word| !declared.contains(word)).collect()
}
