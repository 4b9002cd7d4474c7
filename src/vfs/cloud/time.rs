//! Dates as signatures and headers carry them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// A moment in UTC: year, month, day, hour, minute, second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) days: [u64; 3],
    pub(super) hours: [u64; 3],
}

impl Date {
    /// The date of a time after 1970. Days are counted from the first of March, so that leap days come last in a year
    /// (H. Hinnant, "chrono-compatible low-level date algorithms").
    pub(super) fn of(time: SystemTime) -> Date {
        let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        let day = seconds / 86_400 + 719_468;
        let (era, of_era) = (day / 146_097, day % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        let second = seconds % 86_400;
        Date {
            days: [year, month, of_year - (153 * shifted + 2) / 5 + 1],
            hours: [second / 3_600, second / 60 % 60, second % 60],
        }
    }

    /// `20130524`.
    pub(super) fn day(&self) -> String {
        let [year, month, day] = self.days;
        format!("{year:04}{month:02}{day:02}")
    }

    /// `Fri, 24 May 2013 00:00:00 GMT`.
    pub(super) fn http(&self) -> String {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        // The days before the first of a month, counted from March on (as in `of`), tell the day of the week.
        let (of_year, shifted) = if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
        let days = of_year * 365 + of_year / 4 - of_year / 100 + of_year / 400 + (153 * shifted + 2) / 5 + day;
        let name =
            |names: &'static str, index: u64| names.get(index as usize * 3..index as usize * 3 + 3).unwrap_or("");
        let (week_day, month) = (name("TueWedThuFriSatSunMon", days % 7), name(MONTHS, month.saturating_sub(1)));
        format!("{week_day}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    }

    /// `20130524T000000Z`.
    pub(super) fn basic(&self) -> String {
        let [hour, minute, second] = self.hours;
        format!("{}T{hour:02}{minute:02}{second:02}Z", self.day())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written() {
        let date = |seconds| Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).basic();
        assert_eq!(date(0), "19700101T000000Z");
        assert_eq!(date(951_782_399), "20000228T235959Z");
        assert_eq!(date(951_782_400), "20000229T000000Z");
        assert_eq!(date(1_369_353_600), "20130524T000000Z");
        assert_eq!(date(4_107_542_400), "21000301T000000Z");
        let date = |seconds| Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).http();
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(date(951_782_399), "Mon, 28 Feb 2000 23:59:59 GMT");
        assert_eq!(date(1_369_353_600), "Fri, 24 May 2013 00:00:00 GMT");
        assert_eq!(date(4_107_542_400), "Mon, 01 Mar 2100 00:00:00 GMT");
    }
}
