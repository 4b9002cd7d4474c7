//! Mapping from datatypes to types of the Arrow C data interface.

use super::Datatype;

/// Conversion of the values of an Arrow type to a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowConversion {
    /// As they are.
    Same,
    /// 32-bit integers to 64-bit integers.
    Widened,
    /// Milliseconds become days; only whole days do.
    Days,
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

    /// Conversion from an Arrow type; `None` if values would change. Time zones are ignored: they only affect how
    /// timestamps are displayed.
    pub fn from_arrow(self, format: &str) -> Option<ArrowConversion> {
        let own = self.arrow_format();
        let is_own = format == own || own.starts_with("ts") && format.starts_with(own);
        match (self, format) {
            (Datatype::Bool, "b") => Some(ArrowConversion::Bits),
            _ if is_own => Some(ArrowConversion::Same),
            (Datatype::DatetimeDay, "tdD") | (Datatype::TimeSec, "tts") | (Datatype::TimeMs, "ttm") => {
                Some(ArrowConversion::Widened)
            }
            (Datatype::DatetimeDay, "tdm") => Some(ArrowConversion::Days),
            (Datatype::DatetimeMs, "tdm")
            | (Datatype::TimeSec, "tDs")
            | (Datatype::TimeMs, "tDm")
            | (Datatype::TimeUs, "tDu")
            | (Datatype::TimeNs, "tDn") => Some(ArrowConversion::Same),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_out_is_taken() {
        for datatype in Datatype::all() {
            let taken = datatype.from_arrow(datatype.arrow_format());
            assert!(matches!(taken, Some(ArrowConversion::Same | ArrowConversion::Bits)), "{datatype:?}");
            assert_eq!(datatype.from_arrow("e"), None);
        }
        assert_eq!(Datatype::DatetimeUs.from_arrow("tsu:Europe/Lisbon"), Some(ArrowConversion::Same));
        assert_eq!(Datatype::DatetimeUs.from_arrow("tsn:"), None);
        assert_eq!(Datatype::DatetimeDay.from_arrow("tdD"), Some(ArrowConversion::Widened));
    }
}
