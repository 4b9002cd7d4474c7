//! The prompt: statements from a terminal, with history and completion.

use std::path::PathBuf;

use datafusion::error::{DataFusionError, Result};
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};
use tokio::runtime::Runtime;

use crate::completion::SqlHelper;
use crate::options::Options;
use crate::session::Sql;
use crate::{Ended, message};

const HELP: &str = "\
A statement ends with a semicolon and may have several lines.
  SELECT * FROM 'flights' LIMIT 10;          an array by its URI
  SELECT * FROM read_tiledb('flights', '2024-01-31');   as it was at a time
  DESCRIBE 'flights';                        its columns
  CREATE VIEW late AS SELECT ...;            a name for a query
  SHOW TABLES;  EXPLAIN ...;
  \\q or Ctrl-D leaves, Ctrl-C stops a query, \\timing prints times, Tab completes names and paths";

/// Lines that are kept.
const HISTORY_LINES: usize = 10_000;

/// The file with the history: in the folder of the user's data.
fn history_path() -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| std::env::home_dir().map(|home| home.join(".local").join("share")))?;
    Some(data.join("tiledb-rs").join("sql_history"))
}

/// Reads statements and runs them until the user leaves.
pub(crate) fn run(sql: &Sql, options: &Options, runtime: &Runtime) -> Result<Ended> {
    let terminal = |error: ReadlineError| DataFusionError::External(Box::new(error));
    let config = Config::builder().max_history_size(HISTORY_LINES).map_err(terminal)?.auto_add_history(false).build();
    let mut editor: Editor<SqlHelper, DefaultHistory> = Editor::with_config(config).map_err(terminal)?;
    editor.set_helper(Some(SqlHelper::new(sql.tables())));
    let history = history_path();
    if let Some(path) = &history {
        // There is none before the first line.
        let _ = editor.load_history(path);
    }
    println!("SQL over TileDB arrays; \\? for help");
    let mut is_timed = options.timing;
    loop {
        let line = match editor.readline("tiledb> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(terminal(error)),
        };
        let line = line.trim();
        match line {
            "" | ";" => continue,
            "\\q" | "quit" | "exit" | "quit;" | "exit;" => break,
            "\\?" | "help" | "help;" => {
                println!("{HELP}");
                continue;
            }
            "\\timing" => {
                is_timed = !is_timed;
                println!("times are {}printed", if is_timed { "" } else { "not " });
                continue;
            }
            _ => {}
        }
        let _ = editor.add_history_entry(line);
        let start = std::time::Instant::now();
        match runtime.block_on(sql.run(line, options)) {
            Ok(Ended::Normally) => {}
            Ok(Ended::Interrupted) => eprintln!("stopped"),
            Err(error) => eprintln!("error: {}", message(&error)),
        }
        if is_timed && !options.timing {
            eprintln!("{:.3} s", start.elapsed().as_secs_f64());
        }
        if let Some(helper) = editor.helper_mut() {
            helper.set_tables(sql.tables());
        }
        save(&mut editor, history.as_ref());
    }
    Ok(Ended::Normally)
}

/// Saves the history, which may have names and values that are not for others. A prompt without a history works as well.
fn save(editor: &mut Editor<SqlHelper, DefaultHistory>, path: Option<&PathBuf>) {
    let Some(path) = path else { return };
    if let Some(folder) = path.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = editor.save_history(path);
}
