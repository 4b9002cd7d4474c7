//! Dates in signatures, headers and responses.
//!
//! Own code: signatures need formats that httpdate does not write, and a calendar library is larger than these 100 lines.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// Days from the first of March of the year 0 to the beginning of 1970.
const EPOCH: u64 = 719_468;

/// A date and time in UTC: year, month, day, hour, minute, second.
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
        let day = seconds / 86_400 + EPOCH;
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

    /// The time of a date; `None` before 1970 and for dates that are none.
    fn time(&self) -> Option<SystemTime> {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let year = year - u64::from(month <= 2);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let of_era = year % 400 * 365 + year % 400 / 4 - year % 400 / 100 + of_year;
        let seconds =
            (year / 400 * 146_097 + of_era).checked_sub(EPOCH)? * 86_400 + hour * 3_600 + minute * 60 + second;
        UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }

    /// `20130524`.
    pub(super) fn day(&self) -> String {
        let [year, month, day] = self.days;
        format!("{year:04}{month:02}{day:02}")
    }

    /// `Fri, 24 May 2013 00:00:00 GMT`.
    pub(super) fn http(&self) -> String {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        // The number of days before the first of the month, counted from March (as in `of`), determines the day of the week.
        let (of_year, shifted) = if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
        let days = of_year * 365 + of_year / 4 - of_year / 100 + of_year / 400 + (153 * shifted + 2) / 5 + day;
        let name =
            |names: &'static str, index: u64| names.get(index as usize * 3..index as usize * 3 + 3).unwrap_or("");
        let (week_day, month) = (name("TueWedThuFriSatSunMon", days % 7), name(MONTHS, month.saturating_sub(1)));
        format!("{week_day}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    }

    /// `2013-05-24T00:00:00Z`.
    pub(super) fn iso(&self) -> String {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// `20130524T000000Z`.
    pub(super) fn basic(&self) -> String {
        let [hour, minute, second] = self.hours;
        format!("{}T{hour:02}{minute:02}{second:02}Z", self.day())
    }
}

/// Signed difference `to - from`.
pub(super) fn seconds_between(from: SystemTime, to: SystemTime) -> i64 {
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
    since(to) - since(from)
}

/// The time that `2013-05-24T00:00:00Z` says, also with parts of a second, and with `UTC` or `+02:00` at its end.
pub(super) fn iso(text: &str) -> Option<SystemTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let days = [number(0, 4)?, number(5, 7)?, number(8, 10)?];
    let time = Date { days, hours: [number(11, 13)?, number(14, 16)?, number(17, 19)?] }.time()?;
    let zone = text.get(19..)?.trim_start_matches(|letter: char| letter == '.' || letter.is_ascii_digit());
    let Some(ahead) = zone.strip_prefix('+').or_else(|| zone.strip_prefix('-')) else {
        return matches!(zone, "" | "Z" | "UTC").then_some(time);
    };
    let (hours, minutes) = ahead.split_at_checked(2)?;
    let minutes = minutes.trim_start_matches(':').parse::<u64>().ok()?;
    let ahead = Duration::from_secs(hours.parse::<u64>().ok()? * 3_600 + minutes.min(59) * 60);
    if zone.starts_with('+') { time.checked_sub(ahead) } else { time.checked_add(ahead) }
}

/// The time that the header `date` says: `Fri, 24 May 2013 00:00:00 GMT`.
pub(super) fn header(text: &str) -> Option<SystemTime> {
    let mut words = text.split_once(", ")?.1.split_ascii_whitespace();
    let day = words.next()?.parse().ok()?;
    let name = words.next().filter(|name| name.len() == 3)?;
    let month = MONTHS.find(name).filter(|at| at % 3 == 0)? as u64 / 3 + 1;
    let year = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let mut part = || clock.next().flatten();
    Date { days: [year, month, day], hours: [part()?, part()?, part()?] }.time()
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

    #[test]
    fn dates_are_read() {
        let seconds = |time: Option<SystemTime>| time.map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs());
        for day in (0..60_000).step_by(7) {
            let time = UNIX_EPOCH + Duration::from_secs(day * 86_400 + 12_345);
            assert_eq!(Date::of(time).time(), Some(time));
            assert_eq!(iso(&Date::of(time).iso()), Some(time));
        }
        for text in
            ["2013-05-24T00:00:00Z", "2013-05-24T00:00:00.123Z", "2013-05-24T00:00:00UTC", "2013-05-24T02:30:00+02:30"]
        {
            assert_eq!(seconds(iso(text)), Some(1_369_353_600), "{text}");
        }
        assert_eq!(seconds(iso("2013-05-23T23:00:00-0100")), Some(1_369_353_600));
        assert_eq!(seconds(header("Fri, 24 May 2013 00:00:00 GMT")), Some(1_369_353_600));
        for text in [
            "",
            "2013-05-24",
            "2013-13-24T00:00:00Z",
            "2013-05-24T00:00:00X",
            "1013-05-24T00:00:00Z",
            "é".repeat(20).as_str(),
        ] {
            assert_eq!(iso(text), None, "{text}");
        }
        assert_eq!((header("24 May 2013"), header("Fri, 24 Mai 2013 00:00:00 GMT")), (None, None));
    }
}
