//! Text tables with columns as wide as their cells.

use unicode_width::UnicodeWidthStr;

use super::escape;

/// Spaces between two columns.
const GAP: usize = 2;
/// Wider cells overflow instead of widening their column for all rows.
const MAX_WIDTH: usize = 256;

/// The lines of a table, first that of the names; columns whose names begin with `>` are aligned to the right.
pub(super) fn lines(names: &[&str], rows: &[Vec<String>]) -> impl Iterator<Item = String> {
    let is_number: Vec<bool> = names.iter().map(|name| name.starts_with('>')).collect();
    let names = names.iter().map(|name| escape(name.trim_start_matches('>')).into_owned()).collect();
    let rows = rows.iter().map(|row| row.iter().map(|cell| escape(cell).into_owned()).collect());
    let rows: Vec<Vec<String>> = std::iter::once(names).chain(rows).collect();
    let mut widths = vec![0; is_number.len()];
    for row in &rows {
        for (cell, width) in row.iter().zip(&mut widths) {
            let own = cell.width();
            if own <= MAX_WIDTH {
                *width = own.max(*width);
            }
        }
    }
    rows.into_iter().map(move |row| line(&row, &widths, &is_number))
}

fn line(cells: &[String], widths: &[usize], is_number: &[bool]) -> String {
    let mut line = String::new();
    for ((cell, &width), &is_number) in cells.iter().zip(widths).zip(is_number) {
        let room = width.saturating_sub(cell.width());
        let (before, after) = if is_number { (room, GAP) } else { (0, room + GAP) };
        line.extend(std::iter::repeat_n(' ', before));
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', after));
    }
    line.truncate(line.trim_end().len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str], rows: &[&[&str]]) -> Vec<String> {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        lines(names, &rows).collect()
    }

    #[test]
    fn columns_are_aligned() {
        let shown = table(&["A", ">NUMBER", "C"], &[&["日本", "5", ""], &["x\n", "-12.50", "c"]]);
        assert_eq!(shown, ["A     NUMBER  C", "日本       5", "x\\n   -12.50  c"]);
    }

    #[test]
    fn one_long_cell_does_not_fill_up_the_others() {
        let long = "\u{1b}".repeat(1 << 20);
        let rows = vec![vec!["b".to_owned(), "c".to_owned()]; 1000];
        let rows: Vec<Vec<String>> = std::iter::once(vec![long, "c".to_owned()]).chain(rows).collect();
        let shown: Vec<String> = lines(&["A", "B"], &rows).collect();
        assert_eq!((shown[1].len(), shown[2].as_str()), ((1 << 20) * "\\u{1b}".len() + 3, "b  c"));
    }
}
