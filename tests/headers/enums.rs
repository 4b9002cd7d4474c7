//! The headers with only the numbers of the enumerations, each in a macro that the includer defines.

use std::collections::BTreeMap;

use crate::sort::{NOTICE, title};
use support::tables::table;

/// Operators of conditions that are made by themselves and never by users, so the enumeration lacks them.
const INNER_OPERATORS: [(&str, &str); 2] = [("TILEDB_ALWAYS_TRUE", "253"), ("TILEDB_ALWAYS_FALSE", "254")];

/// The text of each such header, by its path below `include/tiledb/`. They have no guard: who wants two enumerations
/// of one of them includes it twice.
pub fn headers() -> BTreeMap<String, String> {
    let constants = table("enums.tsv");
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for row in table("enum_macros.tsv") {
        let (header, name) = (&row["header"], &row["macro"]);
        let text =
            texts.entry(header.clone()).or_insert_with(|| format!("/*\n * {}.\n *\n * {NOTICE}\n */\n", title(header)));
        let mut values: Vec<(&str, &str)> = constants
            .iter()
            .filter(|constant| constant["enum"] == row["enum"])
            .map(|constant| (constant["constant"].as_str(), constant["value"].as_str()))
            .collect();
        if row["enum"] == "tiledb_query_condition_op_t" {
            values.extend(INNER_OPERATORS);
        }
        text.push_str(&format!("\n#ifdef {name}\n"));
        for (constant, value) in values {
            let id = constant.strip_prefix("TILEDB_").expect("a constant of this interface");
            // Some platforms define DELETE as a macro.
            let call = if id == "DELETE" { "_CONCAT_ID(DEL, ETE)".to_owned() } else { format!("({id})") };
            text.push_str(&format!("{name}{call} = {value},\n"));
        }
        text.push_str("#endif\n");
    }
    texts
}
