//! Mapping from datatypes to types of the Arrow C data interface.

use std::cmp::Ordering;

use super::Datatype;

/// Conversion of the values of an Arrow type to a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowConversion {
    /// As they are.
    Same,
    /// 32-bit integers to 64-bit integers.
    Widened,
    /// Times of a finer unit: divided, if they are multiples of this.
    Divided(i64),
    /// Times of a coarser unit: multiplied, if the products fit.
    Multiplied(i64),
    /// A bit becomes a byte.
    Bits,
}

impl Datatype {
    /// The Arrow type of one value. Points in time and times of day of other units than Arrow's are numbers.
    pub fn arrow_format(self) -> &'static str {
        use Datatype::*;
        match self {
            Int8 => "c",
            Int16 => "s",
            Uint16 | StringUtf16 | StringUcs2 => "S",
            Int32 => "i",
            Uint32 | StringUtf32 | StringUcs4 => "I",
            Uint64 => "L",
            Float32 => "f",
            Float64 => "g",
            Bool => "b",
            DatetimeSec => "tss:",
            DatetimeMs => "tsm:",
            DatetimeUs => "tsu:",
            DatetimeNs => "tsn:",
            TimeUs => "ttu",
            TimeNs => "ttn",
            Uint8 | Char | Blob | GeomWkb | Any | StringAscii | StringUtf8 | GeomWkt => "C",
            Int64 | DatetimeYear | DatetimeMonth | DatetimeWeek | DatetimeDay | DatetimeHr | DatetimeMin
            | DatetimePs | DatetimeFs | DatetimeAs | TimeHr | TimeMin | TimeSec | TimeMs | TimePs | TimeFs | TimeAs => {
                "l"
            }
        }
    }

    /// True for non-numeric one-byte types: their cells are binary or text values in Arrow, not lists.
    pub fn is_arrow_bytes(self) -> bool {
        self.is_text() || self.is_opaque()
    }

    /// True for bytes that are text in Arrow, which is UTF-8.
    pub fn is_arrow_text(self) -> bool {
        self.is_encoded_text() || self == Datatype::GeomWkt
    }

    /// Conversion from an Arrow type; `None` if values would change. Times of another unit are accepted if each value is a whole number
    /// of units. Time zones are ignored: they only affect how timestamps are displayed.
    pub fn from_arrow(self, format: &str) -> Option<ArrowConversion> {
        let own = self.arrow_format();
        let is_own = format == own || own.starts_with("ts") && format.starts_with(own);
        match (self, format) {
            (Datatype::Bool, "b") => Some(ArrowConversion::Bits),
            _ if is_own => Some(ArrowConversion::Same),
            (Datatype::DatetimeDay, "tdD") | (Datatype::TimeSec, "tts") | (Datatype::TimeMs, "ttm") => {
                Some(ArrowConversion::Widened)
            }
            _ => {
                let (own, (is_point, unit)) = (self.nanoseconds()?, unit_of(format)?);
                Some(match own.cmp(&unit) {
                    _ if is_point != self.is_datetime() => return None,
                    Ordering::Equal => ArrowConversion::Same,
                    Ordering::Greater => ArrowConversion::Divided(own / unit),
                    Ordering::Less => ArrowConversion::Multiplied(unit / own),
                })
            }
        }
    }

    /// The unit of times in nanoseconds, if it is at most a week and at least that.
    fn nanoseconds(self) -> Option<i64> {
        use Datatype::*;
        Some(match self {
            DatetimeWeek => 7 * 86_400_000_000_000,
            DatetimeDay => 86_400_000_000_000,
            DatetimeHr | TimeHr => 3_600_000_000_000,
            DatetimeMin | TimeMin => 60_000_000_000,
            DatetimeSec | TimeSec => 1_000_000_000,
            DatetimeMs | TimeMs => 1_000_000,
            DatetimeUs | TimeUs => 1_000,
            DatetimeNs | TimeNs => 1,
            _ => return None,
        })
    }
}

/// Of the Arrow types of 64 bits: whether values are points in time, otherwise times of day or durations; and their unit in nanoseconds.
fn unit_of(format: &str) -> Option<(bool, i64)> {
    match format.split_once(':').map_or(format, |(unit, _)| unit) {
        "tss" => Some((true, 1_000_000_000)),
        "tsm" | "tdm" => Some((true, 1_000_000)),
        "tsu" => Some((true, 1_000)),
        "tsn" => Some((true, 1)),
        "tDs" => Some((false, 1_000_000_000)),
        "tDm" => Some((false, 1_000_000)),
        "tDu" | "ttu" => Some((false, 1_000)),
        "tDn" | "ttn" => Some((false, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_formats_are_imported() {
        for datatype in Datatype::all() {
            let taken = datatype.from_arrow(datatype.arrow_format());
            assert!(matches!(taken, Some(ArrowConversion::Same | ArrowConversion::Bits)), "{datatype:?}");
            assert_eq!(datatype.from_arrow("e"), None);
        }
        assert_eq!(Datatype::DatetimeUs.from_arrow("tsu:Europe/Lisbon"), Some(ArrowConversion::Same));
        assert_eq!(Datatype::DatetimeUs.from_arrow("tsn:"), Some(ArrowConversion::Divided(1000)));
        assert_eq!(Datatype::DatetimeUs.from_arrow("tsm:UTC"), Some(ArrowConversion::Multiplied(1000)));
        assert_eq!(Datatype::DatetimeMs.from_arrow("tdm"), Some(ArrowConversion::Same));
        assert_eq!(Datatype::DatetimeWeek.from_arrow("tss:"), Some(ArrowConversion::Divided(604_800)));
        assert_eq!(Datatype::DatetimeMonth.from_arrow("tss:"), None);
        assert_eq!(Datatype::TimeUs.from_arrow("ttn"), Some(ArrowConversion::Divided(1000)));
        assert_eq!(Datatype::TimeUs.from_arrow("tDm"), Some(ArrowConversion::Multiplied(1000)));
        for (datatype, format) in [(Datatype::TimeUs, "tss:"), (Datatype::DatetimeUs, "ttn"), (Datatype::TimeNs, "tts")]
        {
            assert_eq!(datatype.from_arrow(format), None);
        }
        assert_eq!(Datatype::DatetimeDay.from_arrow("tdD"), Some(ArrowConversion::Widened));
    }
}
