//! `tiledb-rs picture`: the page is complete and self-contained, and shows the data of the array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use serde_json::Value as Json;
use support::Story;

/// Draws an array; the data in the page.
fn draw(story: &Story, arguments: &[&str]) -> Json {
    let output = story.tool(&[&["picture", "-o", "-"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{arguments:?}");
    for place in ["/*STYLE*/", "/*SCRIPT*/", "/*DATA*/", "/*TITLE*/", " src=", " href=", "url(", "@import"] {
        assert!(!page.contains(place), "{arguments:?}: {place}");
    }
    assert_eq!(page.matches("<script").count(), 2, "{arguments:?}");
    assert_eq!(page.matches("</script>").count(), 2, "{arguments:?}");
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

fn total(numbers: &Json) -> u64 {
    numbers.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).sum()
}

#[test]
fn sparse_arrays_are_drawn() {
    let story = Story::new();
    story.unpack(&["v22/consolidated_sparse_dups"]);
    let all = draw(&story, &["consolidated_sparse_dups/array"]);
    let fragments = &all["fragments"];
    assert_eq!((total(&fragments["cells"]), total(&fragments["tiles"])), (100, 17));
    assert_eq!(
        (&fragments["sides"][0], &fragments["sides"][1]),
        (&serde_json::json!([[0.0], [33.0]]), &serde_json::json!([[0.0], [9.0]]))
    );
    assert_eq!(all["boxes"]["tiles"].as_array().unwrap().len(), 17);
    assert!(total(&all["boxes"]["read"]) == 17 && all["query"].is_null());
    // Each box lies in its fragment, and tiles have an order.
    let sides = &all["boxes"]["sides"][0];
    for (low, high) in sides[0].as_array().unwrap().iter().zip(sides[1].as_array().unwrap()) {
        let (low, high) = (low.as_f64().unwrap(), high.as_f64().unwrap());
        assert!(0.0 <= low && low <= high && high <= 33.0);
    }
    let some = draw(&story, &["consolidated_sparse_dups/array", "--range", "x=0:9", "--range", "y=0:4"]);
    let read = total(&some["boxes"]["read"]);
    assert!(0 < read && read < 17 && read == total(&some["fragments"]["tiles_read"]), "{read}");
    assert_eq!(some["query"]["ranges"], serde_json::json!([[[0.0, 9.0]], [[0.0, 4.0]]]));
    let none = draw(&story, &["consolidated_sparse_dups/array", "--range", "x=90:99"]);
    assert_eq!((total(&none["fragments"]["read"]), total(&none["boxes"]["read"])), (0, 0));
}

#[test]
fn conditions_are_drawn() {
    let story = Story::new();
    story.unpack(&["v22/consolidated_sparse_dups", "v22/dense_query_conditions"]);
    let looks = |arguments: &[&str]| {
        let data = draw(&story, arguments);
        let (fragments, boxes) = (&data["fragments"], &data["boxes"]);
        assert_eq!(data["query"]["condition"] == true, arguments.contains(&"-w"), "{arguments:?}");
        let read = total(&fragments["tiles_read"]);
        assert!(data["dense"] == true || total(&boxes["read"]) == read, "{arguments:?}");
        (read, total(&fragments["tiles_excluded"]))
    };
    // A condition on a dimension leaves what a range leaves.
    let array = "consolidated_sparse_dups/array";
    let (by_range, _) = looks(&[array, "-r", "x=20:"]);
    assert!(0 < by_range && by_range < 17);
    assert_eq!(looks(&[array, "-w", "x >= 20"]), (by_range, 17 - by_range));
    assert_eq!(looks(&[array, "-w", "x >= 20 and a > 2000000000"]), (0, 17));
    assert_eq!(looks(&[array, "-r", "x=20:", "-w", "a > 2000000000"]), (0, by_range));
    // Two fragments of three by three tiles each: the last row of both.
    assert_eq!(looks(&["dense_query_conditions/array", "-w", "r >= 9"]), (6, 12));
    assert_eq!(looks(&["dense_query_conditions/array", "-r", "r=9:9"]), (6, 0));
    assert_eq!(story.tool(&["picture", array, "-w", "nothing > 1"]).status.code(), Some(2));
}

#[test]
fn dense_arrays_are_drawn_with_names_and_files() {
    let story = Story::new();
    story.unpack(&["v22/dense_query_conditions", "v22/dims_named_oddly", "v3/dense_types__1.6.3"]);
    let dense = draw(&story, &["dense_query_conditions/array"]);
    assert!(dense["dense"] == true && total(&dense["boxes"]["tiles"]) == 0 && total(&dense["fragments"]["tiles"]) > 0);
    for case in ["dims_named_oddly/array", "dense_types__1.6.3/array"] {
        let data = draw(&story, &[case]);
        assert_eq!(data["dimensions"].as_array().unwrap().len(), data["fragments"]["sides"].as_array().unwrap().len());
        assert!(total(&data["fragments"]["cells"]) > 0 && !data["fields"].as_array().unwrap().is_empty());
    }
    let output = story.tool(&["picture", "dense_query_conditions/array", "--json"]);
    assert!(output.status.success() && story.path().join("array.html").is_file());
    assert_eq!(story.tool(&["picture", "nowhere"]).status.code(), Some(3));
    assert_eq!(story.tool(&["picture", "dense_query_conditions/array", "-r", "z=1:2"]).status.code(), Some(2));
}

/// The values of dense arrays: all of small ones, means of larger ones, a block of those that are too large.
#[test]
fn values_of_dense_arrays_are_drawn() {
    let story = Story::new();
    let write = |name: &str, rows: u32, columns: u32| {
        let text = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
        let mut bytes = [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
        (0..rows * columns).for_each(|value| bytes.extend((value as i32).to_le_bytes()));
        std::fs::write(story.path().join(name), bytes).unwrap();
        let array = name.trim_end_matches(".npy").to_owned();
        assert!(story.tool(&["import", name, &array, "--dims", "row,column"]).status.success());
        array
    };
    let small = draw(&story, &[&write("small.npy", 2, 3)]);
    let values = &small["values"];
    assert_eq!((&values["down"]["name"], &values["across"]["name"]), (&"row".into(), &"column".into()));
    assert_eq!(values["attributes"][0]["cells"], serde_json::json!([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    assert!(values["sample"] == false && values["attributes"][0]["mean"] == false);
    assert_eq!((&values["attributes"][0]["low"], &values["attributes"][0]["high"]), (&0.0.into(), &5.0.into()));
    let part = draw(&story, &["small", "--range", "column=1:2"]);
    assert_eq!(part["values"]["attributes"][0]["cells"], serde_json::json!([1.0, 2.0, 4.0, 5.0]));
    let means = draw(&story, &[&write("means.npy", 256, 200)]);
    let cells = means["values"]["attributes"][0]["cells"].as_array().unwrap();
    assert!(means["values"]["attributes"][0]["mean"] == true && cells.len() == 128 * 128);
    assert!(cells.iter().all(|cell| cell.is_number()));
    let sample = draw(&story, &[&write("sample.npy", 1000, 1000)]);
    let values = &sample["values"];
    assert!(values["sample"] == true && values["down"]["length"] == 512 && values["down"]["low"] == "244");
    // Texts have no values.
    std::fs::write(story.path().join("texts.csv"), "a\nx\ny\n").unwrap();
    assert!(story.tool(&["import", "texts.csv", "texts"]).status.success());
    assert!(draw(&story, &["texts"])["values"].is_null());
    // One dimension is one row.
    std::fs::write(story.path().join("line.csv"), "a,b\n1,5\n2,\n").unwrap();
    assert!(story.tool(&["import", "line.csv", "line"]).status.success());
    let line = draw(&story, &["line"]);
    assert!(line["values"]["down"].is_null());
    assert_eq!(line["values"]["attributes"][1]["cells"], serde_json::json!([5.0, null]));
}

/// Cells of a sparse array per square and means of attributes; a map for latitude and longitude.
#[test]
fn cells_of_sparse_arrays_are_counted() {
    let story = Story::new();
    story.unpack(&["v22/consolidated_sparse_dups"]);
    let array = "consolidated_sparse_dups/array";
    let cells = |values: &Json, number: usize| -> Vec<f64> {
        let cells = values["attributes"][number]["cells"].as_array().unwrap();
        cells.iter().map(|cell| cell.as_f64().unwrap_or(0.0)).collect()
    };
    let values = draw(&story, &[array])["values"].clone();
    let names: Vec<&str> =
        values["attributes"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!((names, &values["all"]), (vec!["number of cells", "a", "n"], &100.into()));
    assert_eq!((&values["down"]["squares"], &values["across"]["squares"]), (&34.into(), &10.into()));
    assert_eq!(cells(&values, 0).iter().sum::<f64>(), 100.0);
    // A part of it, and one attribute.
    let part = draw(&story, &[array, "--range", "x=0:9", "--range", "y=0:4", "--fields", "n"])["values"].clone();
    assert_eq!(part["attributes"].as_array().unwrap().len(), 2);
    let expected: f64 = cells(&values, 0).chunks(10).take(10).flat_map(|row| &row[..5]).sum();
    assert_eq!(cells(&part, 0).iter().sum::<f64>(), expected);
    assert_eq!(story.tool(&["picture", array, "--fields", "s"]).status.code(), Some(2));

    // North is at the top, and the page has coasts.
    std::fs::write(story.path().join("places.csv"), "lat,lon,height\n-33.9,151.2,3\n60.4,5.3,1\n60.4,5.3,2\n").unwrap();
    assert!(story.tool(&["import", "places.csv", "places", "--dims", "lat,lon"]).status.success());
    let map = draw(&story, &["places"])["values"].clone();
    assert!(map["map"] == true && map["down"]["low"] == "60.4" && map["down"]["name"] == "lat");
    let counts = cells(&map, 0);
    let heights = cells(&map, 1);
    assert_eq!((counts[0], counts[128 * 128 - 1], counts.iter().sum::<f64>()), (2.0, 1.0, 3.0));
    assert_eq!((heights[0], heights[128 * 128 - 1]), (1.5, 3.0));
    let page = |array: &str| String::from_utf8(story.tool(&["picture", "-o", "-", array]).stdout).unwrap();
    assert!(page("places").contains("Natural Earth") && !page(array).contains("Natural Earth"));
}

/// A large array is counted by the library: the same numbers in each square, if no squares share one.
#[test]
fn counted_cells_are_those_that_are_read() {
    let story = Story::new();
    let mut text = String::from("x,y,a\n");
    for cell in 0..1_050_000_u64 {
        let random = cell.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        text += &format!("{},{},{}\n", (random >> 40) % 8, (random >> 20) % 16, cell % 100);
    }
    std::fs::write(story.path().join("cells.csv"), &text).unwrap();
    assert!(story.tool(&["import", "cells.csv", "cells", "--dims", "x,y"]).status.success());
    let values = draw(&story, &["cells"])["values"].clone();
    let mut expected = vec![(0_u32, 0_u64); 8 * 16];
    for line in text.lines().skip(1) {
        let cell: Vec<u64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        let square = &mut expected[(cell[0] * 16 + cell[1]) as usize];
        *square = (square.0 + 1, square.1 + cell[2]);
    }
    assert!(values["coarse"] == false && values["all"] == 1_050_000);
    for (square, (cells, sum)) in expected.into_iter().enumerate() {
        let of = |number: usize| values["attributes"][number]["cells"][square].as_f64().unwrap();
        assert_eq!(of(0), f64::from(cells), "{square}");
        assert!((of(1) - sum as f64 / f64::from(cells)).abs() < 0.01, "{square}: {}", of(1));
    }
}
