//! Imports of columns with large dictionaries: processor time is in proportion to the rows and the values, memory to a fragment.
#![allow(clippy::unwrap_used, reason = "a test stops at once")]

mod support;

use std::fs::File;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use support::{Story, tool};

/// Batches of these rows, which share a dictionary: row after row refers to one value after another.
fn batches(texts: Vec<String>, rows: i32, each: i32) -> Vec<RecordBatch> {
    let (count, values) = (texts.len() as i32, Arc::new(StringArray::from(texts)));
    let batch = |first: i32| {
        let keys = Int32Array::from_iter_values((first..rows.min(first + each)).map(|row| row % count));
        RecordBatch::try_from_iter([("s", Arc::new(DictionaryArray::new(keys, values.clone())) as _)]).unwrap()
    };
    (0..rows).step_by(each as usize).map(batch).collect()
}

/// Imports batches as a file and as a stream, within limits that the shell sets; returns what the tool printed.
fn imported(batches: &[RecordBatch], limits: &str) -> Vec<String> {
    let story = Story::new();
    let (path, schema) = (|name| story.path().join(name), batches[0].schema());
    let mut file = FileWriter::try_new(File::create(path("in.arrow")).unwrap(), &schema).unwrap();
    let mut stream = StreamWriter::try_new(File::create(path("in.arrows")).unwrap(), &schema).unwrap();
    for batch in batches {
        file.write(batch).unwrap();
        stream.write(batch).unwrap();
    }
    file.finish().unwrap();
    stream.finish().unwrap();
    let import = |name: &str| {
        let command = format!("ulimit -c 0; {limits}; exec \"$0\" import {name} {name}.new");
        let output = Command::new("sh").args(["-c", &command]).arg(tool()).current_dir(story.path()).output().unwrap();
        assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    ["in.arrow", "in.arrows"].map(import).to_vec()
}

/// The values of a dictionary are not converted, nor measured, for each batch that refers to a few of them.
#[test]
fn small_batches_of_a_large_dictionary_take_time_in_proportion_to_their_rows() {
    let texts = (0..400_000).map(|number| format!("{number:060}")).collect();
    for printed in imported(&batches(texts, 100_000, 100), "ulimit -t 10") {
        assert!(printed.contains("STRING_UTF8") && printed.contains("rows: 100000, fragments: 1"), "{printed}");
    }
}

/// Some 64 MB of cells become one fragment, which takes four times as much while it is written: rows that refer to large texts are
/// divided by their bytes.
#[test]
#[cfg(target_os = "linux")]
fn rows_that_refer_to_large_texts_take_the_memory_of_a_fragment() {
    // 60 rows of 9 MiB each, in a file of 9 MiB. Data includes the stacks of threads.
    let batches = batches(vec!["t".repeat(9 << 20)], 60, 60);
    for printed in imported(&batches, "ulimit -d 350000") {
        assert!(printed.contains("rows: 60, fragments: 5"), "{printed}");
    }
}
