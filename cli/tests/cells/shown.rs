//! Checks that a printed text represents the bytes of a cell, with an independent parser.
#![allow(unreachable_pub, reason = "a module of test programs")]

/// Whether a text stands for a cell.
pub fn stands_for(text: &str, datatype: &str, values: Option<usize>, cell: &[u8]) -> bool {
    if is_whole(datatype) {
        return whole(datatype, cell) == text;
    }
    let size = super::recorded::size_of(datatype);
    if values == Some(1) {
        return one(text, datatype, cell);
    }
    let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else { return false };
    let parts: Vec<&str> = inner.split(", ").filter(|part| !part.is_empty()).collect();
    let cells = cell.chunks_exact(size);
    parts.len() == cells.len() && parts.iter().zip(cells).all(|(part, cell)| one(part, datatype, cell))
}

/// Text and bytes are shown cell by cell, not value by value.
pub fn is_whole(datatype: &str) -> bool {
    datatype.starts_with("STRING_") || matches!(datatype, "CHAR" | "BLOB" | "ANY" | "GEOM_WKB" | "GEOM_WKT")
}

fn whole(datatype: &str, cell: &[u8]) -> String {
    let text = match datatype {
        "CHAR" | "STRING_ASCII" | "STRING_UTF8" | "GEOM_WKT" => String::from_utf8(cell.to_vec()).ok(),
        "STRING_UCS2" | "STRING_UTF16" => {
            let units: Vec<u16> =
                cell.chunks_exact(2).map(|unit| u16::from_le_bytes(unit.try_into().unwrap())).collect();
            String::from_utf16(&units).ok()
        }
        "STRING_UCS4" | "STRING_UTF32" => {
            let letters = cell.chunks_exact(4).map(|unit| u32::from_le_bytes(unit.try_into().unwrap()));
            letters.map(char::from_u32).collect()
        }
        _ => None,
    };
    text.unwrap_or_else(|| cell.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}")))
}

/// Whether a text stands for one value.
fn one(text: &str, datatype: &str, bytes: &[u8]) -> bool {
    let mut word = [if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 }; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let signed = i64::from_le_bytes(word);
    match datatype {
        "BOOL" => text == if bytes[0] == 0 { "false" } else { "true" },
        "FLOAT32" => {
            let number = f32::from_le_bytes(bytes.try_into().unwrap());
            text.parse::<f32>()
                .is_ok_and(|said| said.to_bits() == number.to_bits() || (said.is_nan() && number.is_nan()))
        }
        "FLOAT64" => {
            let number = f64::from_le_bytes(word);
            text.parse::<f64>()
                .is_ok_and(|said| said.to_bits() == number.to_bits() || (said.is_nan() && number.is_nan()))
        }
        _ if datatype.starts_with("DATETIME_") => {
            let said = if text == "NaT" { Some(i64::MIN.into()) } else { moment(text, &datatype[9..]) };
            said == Some(signed.into())
        }
        _ if datatype.starts_with("UINT") => {
            word[bytes.len()..].fill(0);
            text == u64::from_le_bytes(word).to_string()
        }
        _ => text == signed.to_string(),
    }
}

/// The days before a year of the Gregorian calendar, counted from its year 0.
fn days_before(year: i128) -> i128 {
    let last = year - 1;
    365 * year + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400)
}

/// How many units since 1970 a date is.
fn moment(text: &str, unit: &str) -> Option<i128> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
    let (sign, date) = date.strip_prefix('-').map_or((1, date), |date| (-1, date));
    let mut parts = date.split('-').map(|part| part.parse::<i128>().ok());
    let year = sign * parts.next()??;
    let (month, day) = (parts.next().unwrap_or(Some(1))?, parts.next().unwrap_or(Some(1))?);
    let is_leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before: i128 = lengths.iter().take(usize::try_from(month - 1).ok()?).sum();
    let days = days_before(year) - days_before(1970) + before + day - 1;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut clock = clock.split(':').map(|part| part.parse::<i128>().ok());
    let seconds = days * 86_400 + clock.next()?? * 3600 + clock.next()?? * 60 + clock.next()??;
    let digits = match unit {
        "YEAR" => return Some(year - 1970),
        "MONTH" => return Some((year - 1970) * 12 + month - 1),
        "WEEK" => return (days % 7 == 0).then_some(days / 7),
        "DAY" => return Some(days),
        "HR" => return (seconds % 3600 == 0).then_some(seconds / 3600),
        "MIN" => return (seconds % 60 == 0).then_some(seconds / 60),
        "SEC" => 0,
        "MS" => 3,
        "US" => 6,
        "NS" => 9,
        "PS" => 12,
        "FS" => 15,
        _ => 18,
    };
    let fraction = if digits == 0 { 0 } else { fraction.parse::<i128>().ok()? };
    Some(seconds * 10_i128.pow(digits) + fraction)
}
