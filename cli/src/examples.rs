//! Examples of every command, for `--help` and the manual pages.

use clap::Command;

/// A command line, and what it does.
pub(crate) type Example = (&'static str, &'static str);

/// The examples of a command, by its name behind `tiledb-rs`.
const EXAMPLES: [(&str, &[Example]); 38] = [
    (
        "",
        &[
            ("tiledb-rs import flights.csv flights --dims origin,time", "Create an array from a CSV file"),
            ("tiledb-rs head flights", "Print its first cells"),
            ("tiledb-rs -c vfs.s3.region=eu-west-1 info s3://bucket/flights", "Show an array in an object store"),
        ],
    ),
    ("ls", &[("tiledb-rs ls s3://bucket/arrays", "List the arrays and groups of a folder")]),
    ("tree", &[("tiledb-rs tree --json experiment", "List a group recursively as JSON")]),
    (
        "info",
        &[
            ("tiledb-rs info flights", "Show schema, fragments and sizes"),
            ("tiledb-rs info --to 2024-05-31 --all flights", "The same at the end of a day, with all fragments"),
        ],
    ),
    (
        "head",
        &[
            ("tiledb-rs head -n 3 flights", "Print three cells"),
            ("tiledb-rs head --where \"dep_delay > 200\" flights", "Print the first ten cells that meet a condition"),
        ],
    ),
    (
        "cat",
        &[
            (
                "tiledb-rs cat flights --range time=2013-02-04:2013-02-05 --fields origin,dest",
                "Print two fields of the cells of two days",
            ),
            ("tiledb-rs cat flights -o flights.parquet", "Write a Parquet file"),
            ("tiledb-rs cat flights --format arrow-stream -o - | python3 read.py", "Send an Arrow stream to a program"),
            (
                "tiledb-rs cat image --range y=0:511 --fields value -o block.npy",
                "Write a block of a dense array for NumPy",
            ),
        ],
    ),
    (
        "picture",
        &[(
            "tiledb-rs picture points --range lon=0:20 --range lat=0:20",
            "Write points.html, and show what a query reads",
        )],
    ),
    (
        "publish",
        &[
            (
                "tiledb-rs publish flights site/flights --url https://example.org/flights",
                "Copy an array into the folder of a web server, with an index and a page",
            ),
            ("tiledb-rs publish --viewer flights site", "Add the page that shows the array in a browser"),
            ("tiledb-rs publish --update flights site/flights", "Add what was written since"),
            (
                "tiledb-rs publish --index-only s3://bucket/flights",
                "Write the index of an array that is served already",
            ),
            ("tiledb-rs publish --check https://example.org/flights", "Compare what readers get with the index"),
        ],
    ),
    (
        "serve-files",
        &[("tiledb-rs serve-files site --listen 127.0.0.1:8080", "Serve a folder: http://127.0.0.1:8080/flights")],
    ),
    (
        "view",
        &[
            ("tiledb-rs view flights", "Show an array in a browser"),
            (
                "tiledb-rs view --no-open s3://bucket/flights",
                "Print the address at which an array of a bucket is shown",
            ),
        ],
    ),
    ("advise", &[("tiledb-rs advise --profile small flights", "Recommend a schema for the least size")]),
    (
        "verify",
        &[("tiledb-rs verify s3://bucket/flights experiment", "Check an array in a store and all arrays of a group")],
    ),
    (
        "import",
        &[
            (
                "tiledb-rs import flights.parquet flights --dims origin,time",
                "Create a sparse array from a Parquet file",
            ),
            ("zstd -dc rows.csv.zst | tiledb-rs import - rows", "Import from a pipe"),
            ("tiledb-rs import image.npy image --dims y,x", "Create a dense array from a file of NumPy"),
            ("tiledb-rs import --dry-run rows.csv rows", "Print the schema that would be created"),
        ],
    ),
    ("schema", &[("tiledb-rs schema flights > flights.json", "Save the schema of an array")]),
    (
        "create",
        &[
            ("tiledb-rs create flights2 flights.json", "Create an array from a schema"),
            (
                "tiledb-rs schema flights | tiledb-rs create s3://bucket/flights -",
                "Create an array with the schema of another one",
            ),
            ("tiledb-rs create --group experiment", "Create a group"),
        ],
    ),
    (
        "count",
        &[
            ("tiledb-rs count flights", "Count all cells"),
            ("tiledb-rs count flights --range origin=JFK --where \"dep_delay > 60\"", "Count those that are selected"),
        ],
    ),
    (
        "stats",
        &[
            ("tiledb-rs stats flights", "Show the extremes and means of all fields"),
            ("tiledb-rs stats flights --where \"origin == 'JFK'\" --fields dep_delay", "Of one field of some cells"),
        ],
    ),
    ("diff", &[("tiledb-rs diff flights s3://bucket/flights", "Compare an array with its copy, cell by cell")]),
    ("append", &[("tiledb-rs append may.csv flights", "Append the rows of a file")]),
    (
        "delete",
        &[(
            "tiledb-rs delete flights --dry-run --where \"time < 2013-02-04\"",
            "Count the cells that would be deleted",
        )],
    ),
    (
        "evolve",
        &[(
            "tiledb-rs evolve flights --add gate=STRING_UTF8? --drop tailnum",
            "Add a nullable attribute, and drop one",
        )],
    ),
    (
        "sql",
        &[
            (
                "tiledb-rs sql \"SELECT origin, avg(dep_delay) FROM 'flights' GROUP BY origin\"",
                "Query an array by its URI in quotes",
            ),
            (
                "tiledb-rs sql -o late.parquet \"SELECT * FROM 'flights' WHERE dep_delay > 60\"",
                "Write the rows to a file",
            ),
            ("tiledb-rs sql", "Type statements at a prompt"),
        ],
    ),
    ("watch", &[("tiledb-rs watch --json flights", "Print a line of JSON for each new fragment")]),
    ("meta", &[("tiledb-rs meta list flights", "List the metadata of an array")]),
    ("meta list", &[("tiledb-rs meta list --json experiment", "List the metadata of a group as JSON")]),
    ("meta get", &[("tiledb-rs meta get flights source", "Print the value of a key")]),
    (
        "meta set",
        &[
            ("tiledb-rs meta set flights source 'Bureau of Transportation'", "Set a text"),
            ("tiledb-rs meta set flights limits 0 1500 --type INT32", "Set two numbers"),
            ("tiledb-rs meta set flights updated 2024-05-31 --type DATETIME_DAY", "Set a date"),
        ],
    ),
    ("meta delete", &[("tiledb-rs meta delete flights source limits", "Delete two keys")]),
    (
        "rm",
        &[
            ("tiledb-rs rm --dry-run experiment", "Print what would be removed"),
            ("tiledb-rs rm experiment flights2", "Remove a group and an array"),
        ],
    ),
    ("mv", &[("tiledb-rs mv flights archive/flights", "Move an array")]),
    (
        "copy",
        &[
            (
                "tiledb-rs copy flights s3://bucket/flights",
                "Copy an array into a store, or continue an interrupted copy",
            ),
            ("tiledb-rs copy --check --dry-run flights s3://bucket/flights", "Compare an array with its copy"),
        ],
    ),
    (
        "maintain",
        &[
            (
                "tiledb-rs maintain --watch 300 flights",
                "Keep the number of fragments within a bound, every five minutes",
            ),
            (
                "tiledb-rs maintain --watch --recursive --jobs 4 --log-format json --metrics 127.0.0.1:9184 s3://bucket/arrays",
                "Run as a service for all arrays in a folder",
            ),
        ],
    ),
    (
        "consolidate",
        &[
            ("tiledb-rs consolidate --dry-run flights", "Print which fragments would be merged"),
            (
                "tiledb-rs consolidate flights && tiledb-rs vacuum flights",
                "Merge fragments, and remove those that were merged",
            ),
        ],
    ),
    ("vacuum", &[("tiledb-rs vacuum --mode commits flights", "Remove commit files that were consolidated")]),
    ("sweep", &[("tiledb-rs sweep --dry-run flights", "Print orphaned fragments")]),
    ("upgrade", &[("tiledb-rs upgrade old", "Let new fragments have the latest format version")]),
    (
        "completion",
        &[(
            "tiledb-rs completion bash > ~/.local/share/bash-completion/completions/tiledb-rs",
            "Install the completions of bash for a user",
        )],
    ),
    ("downgrade", &[("tiledb-rs downgrade --format-version 18 flights flights18", "Write a copy for libtiledb 2.15")]),
];
/// `rewrite` has the filters of `advise`.
const REWRITE: (&str, &[Example]) = (
    "rewrite",
    &[("tiledb-rs rewrite --profile small flights flights_small", "Write a copy with the recommended filters")],
);

/// The examples of a command, by its name behind `tiledb-rs`.
pub(crate) fn of(name: &str) -> &'static [Example] {
    EXAMPLES.iter().chain([&REWRITE]).find(|(command, _)| *command == name).map_or(&[], |(_, examples)| examples)
}

/// The commands with their examples at the end of `--help`.
pub(crate) fn with_examples(command: Command) -> Command {
    add("", command)
}

fn add(name: &str, mut command: Command) -> Command {
    let examples = of(name);
    if !examples.is_empty() {
        let lines = examples.iter().map(|(line, about)| format!("  {about}:\n    {line}\n"));
        command = command.after_help(format!("Examples:\n{}", lines.collect::<String>().trim_end()));
    }
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for inner in names {
        let whole = format!("{name} {inner}");
        command = command.mut_subcommand(&inner, |one| add(whole.trim(), one));
    }
    command
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "a test stops at once")]
    use super::*;
    use crate::args::Arguments;
    use clap::{CommandFactory, Parser};

    fn names(prefix: &str, command: &Command, found: &mut Vec<String>) {
        for inner in command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help") {
            let name = format!("{prefix} {}", inner.get_name()).trim().to_owned();
            names(&name, inner, found);
            found.push(name);
        }
    }

    #[test]
    fn every_command_has_examples() {
        let (command, mut all) = (Arguments::command(), vec![String::new()]);
        names("", &command, &mut all);
        assert!(all.len() > 20);
        for name in &all {
            assert!(!of(name).is_empty(), "{name}");
        }
        for (name, _) in EXAMPLES {
            assert!(all.iter().any(|one| one == name), "{name} is no command");
        }
    }

    /// The words of a command line as a shell reads them.
    fn words(line: &str) -> Vec<String> {
        let (mut all, mut word, mut quote) = (Vec::new(), String::new(), None);
        for letter in line.chars() {
            match (letter, quote) {
                ('\'' | '"', None) => quote = Some(letter),
                (_, Some(open)) if letter == open => quote = None,
                (' ', None) => all.push(std::mem::take(&mut word)),
                _ => word.push(letter),
            }
        }
        all.push(word);
        all
    }

    #[test]
    fn examples_are_accepted() {
        for (name, examples) in EXAMPLES.iter().chain([&REWRITE]) {
            for (line, _) in *examples {
                let lines = line.split(" | ").flat_map(|line| line.split(" && ")).map(|line| {
                    line.split_once(" > ~").map_or(line, |(line, _)| line).trim_end_matches(" > flights.json")
                });
                let mut own = lines.filter(|line| line.starts_with("tiledb-rs ")).peekable();
                assert!(own.peek().is_some(), "{line}");
                for line in own {
                    let words = words(line);
                    Arguments::try_parse_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
                }
                assert!(line.contains(name), "{line} does not use {name}");
            }
        }
    }
}
