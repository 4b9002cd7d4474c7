//! The addresses of operations, behind that of the server.

use super::uri::Place;
use tiledb_core::types::QueryType;

/// What a request asks about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Arrays,
    Groups,
}

/// `/v1/arrays/ws/ts/path`, and what follows it.
pub(super) fn of(kind: Kind, version: u8, place: &Place, rest: &str) -> String {
    let kind = match kind {
        Kind::Arrays => "arrays",
        Kind::Groups => "groups",
    };
    format!("/v{version}/{kind}/{}{rest}", place.encoded())
}

/// Groups are made where their space is, on servers of before.
pub(super) fn of_new_group(place: &Place, legacy: bool) -> String {
    match legacy {
        true => format!("/v2/groups/{}", place.encoded_space()),
        false => of(Kind::Groups, 2, place, ""),
    }
}

/// The members of a group.
pub(super) fn of_members(place: &Place, legacy: bool) -> String {
    of(Kind::Groups, 2, place, if legacy { "" } else { "/contents" })
}

/// A window of time.
pub(super) fn window((start, end): (u64, u64)) -> String {
    format!("start_timestamp={start}&end_timestamp={end}")
}

/// What is done with a query.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// `read_all`: the server goes on until a read is complete.
    Submit {
        read_all: bool,
    },
    Finalize,
    SubmitAndFinalize,
    Estimate,
    Plan,
}

/// What is done with a query on an array that is open at `times`. `refactored` says that a server opens the array by the query.
pub(super) fn of_query(place: &Place, step: Step, kind: QueryType, times: (u64, u64), refactored: bool) -> String {
    let (before, name) = match step {
        Step::Submit { .. } => (2, "submit"),
        Step::Finalize => (1, "finalize"),
        Step::SubmitAndFinalize => (2, "submit_and_finalize"),
        Step::Estimate => (1, "est_result_sizes"),
        Step::Plan => (2, "plan"),
    };
    let version = if refactored && step != Step::Estimate { 3 } else { before };
    let times = window(times);
    let more = match step {
        Step::Submit { read_all } => format!("&read_all={read_all}&{times}"),
        Step::Plan => format!("&{times}"),
        Step::Estimate if kind == QueryType::Read => format!("&{times}"),
        _ => String::new(),
    };
    of(Kind::Arrays, version, place, &format!("/query/{name}?type={}{more}", kind.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_those_of_the_recorded_session() {
        let place = Place { space: "ws/ts".into(), path: "a/b".into(), storage: None };
        let legacy = Place { space: "ns".into(), path: "g".into(), storage: None };
        let query = |step, refactored| of_query(&place, step, QueryType::Read, (0, 9), refactored);
        let told = [
            of(Kind::Arrays, 1, &place, ""),
            of(Kind::Arrays, 2, &place, &format!("/?{}", window((0, u64::MAX)))),
            query(Step::Submit { read_all: false }, true),
            query(Step::Submit { read_all: true }, false),
            query(Step::Finalize, true),
            query(Step::Finalize, false),
            query(Step::SubmitAndFinalize, true),
            query(Step::SubmitAndFinalize, false),
            query(Step::Estimate, true),
            query(Step::Plan, true),
            query(Step::Plan, false),
            of_new_group(&place, false),
            of_new_group(&legacy, true),
            of_members(&place, false),
            of_members(&legacy, true),
        ];
        let expected = "\
/v1/arrays/ws/ts/a%2Fb
/v2/arrays/ws/ts/a%2Fb/?start_timestamp=0&end_timestamp=18446744073709551615
/v3/arrays/ws/ts/a%2Fb/query/submit?type=READ&read_all=false&start_timestamp=0&end_timestamp=9
/v2/arrays/ws/ts/a%2Fb/query/submit?type=READ&read_all=true&start_timestamp=0&end_timestamp=9
/v3/arrays/ws/ts/a%2Fb/query/finalize?type=READ
/v1/arrays/ws/ts/a%2Fb/query/finalize?type=READ
/v3/arrays/ws/ts/a%2Fb/query/submit_and_finalize?type=READ
/v2/arrays/ws/ts/a%2Fb/query/submit_and_finalize?type=READ
/v1/arrays/ws/ts/a%2Fb/query/est_result_sizes?type=READ&start_timestamp=0&end_timestamp=9
/v3/arrays/ws/ts/a%2Fb/query/plan?type=READ&start_timestamp=0&end_timestamp=9
/v2/arrays/ws/ts/a%2Fb/query/plan?type=READ&start_timestamp=0&end_timestamp=9
/v2/groups/ws/ts/a%2Fb
/v2/groups/ns
/v2/groups/ws/ts/a%2Fb/contents
/v2/groups/ns/g";
        assert_eq!(told.join("\n"), expected);
    }
}
