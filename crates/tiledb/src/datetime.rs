//! Dates and times of day as texts of ISO 8601.

use crate::datatype::Datatype;
use tiledb_core::calendar;

/// The text of units since 1970-01-01 UTC, as far as the datatype reaches; `NaT` for the smallest number, as in NumPy.
///
/// ```
/// use tiledb::{Datatype, datetime};
///
/// assert_eq!(datetime::format(Datatype::DatetimeDay, 19_782), "2024-02-29");
/// assert_eq!(datetime::format(Datatype::DatetimeMs, 1_250), "1970-01-01T00:00:01.250");
/// ```
pub fn format(datatype: Datatype, units: i64) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    _ = calendar::write_datetime(datatype.engine(), units, &mut text);
    text
}

/// The units since 1970-01-01 UTC of a text such as `2024`, `2024-05-31`, `2024-05-31T12:30`, `2024-05-31 12:30:15.25Z`, if it is a
/// whole number of units of a datatype of dates. A number counts units, except years.
///
/// ```
/// use tiledb::{Datatype, datetime};
///
/// assert_eq!(datetime::parse(Datatype::DatetimeDay, "2024-02-29"), Some(19_782));
/// assert_eq!(datetime::parse(Datatype::DatetimeDay, "2023-02-29"), None);
/// assert_eq!(datetime::parse(Datatype::DatetimeDay, "2024-02-29T12:00"), None);
/// ```
pub fn parse(datatype: Datatype, text: &str) -> Option<i64> {
    calendar::parse_datetime(datatype.engine(), text)
}
