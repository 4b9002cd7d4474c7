//! Routes of operations, relative to the server's URL.

use super::uri::RemoteUri;
use tiledb_core::types::QueryType;

/// Resource types of routes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResourceKind {
    Arrays,
    Groups,
}

/// `/v1/arrays/ws/ts/path` and `rest`.
pub(super) fn route(kind: ResourceKind, version: u8, remote_uri: &RemoteUri, rest: &str) -> String {
    let kind = match kind {
        ResourceKind::Arrays => "arrays",
        ResourceKind::Groups => "groups",
    };
    format!("/v{version}/{kind}/{}{rest}", remote_uri.encoded())
}

/// Legacy servers create groups in a namespace.
pub(super) fn new_group_route(remote_uri: &RemoteUri, legacy: bool) -> String {
    match legacy {
        true => format!("/v2/groups/{}", remote_uri.encoded_space()),
        false => route(ResourceKind::Groups, 2, remote_uri, ""),
    }
}

/// The members of a group.
pub(super) fn members_route(remote_uri: &RemoteUri, legacy: bool) -> String {
    route(ResourceKind::Groups, 2, remote_uri, if legacy { "" } else { "/contents" })
}

/// A time window.
pub(super) fn window((start, end): (u64, u64)) -> String {
    format!("start_timestamp={start}&end_timestamp={end}")
}

/// Operations on a query.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryOperation {
    /// `read_all`: the server resubmits until a read is complete.
    Submit {
        read_all: bool,
    },
    Finalize,
    SubmitAndFinalize,
    Estimate,
    Plan,
}

/// The route of a query operation on an array that is open at `times`. `refactored`: the server opens the array with
/// the query.
pub(super) fn query_route(
    remote_uri: &RemoteUri,
    operation: QueryOperation,
    kind: QueryType,
    times: (u64, u64),
    refactored: bool,
) -> String {
    let (before, name) = match operation {
        QueryOperation::Submit { .. } => (2, "submit"),
        QueryOperation::Finalize => (1, "finalize"),
        QueryOperation::SubmitAndFinalize => (2, "submit_and_finalize"),
        QueryOperation::Estimate => (1, "est_result_sizes"),
        QueryOperation::Plan => (2, "plan"),
    };
    let version = if refactored && operation != QueryOperation::Estimate { 3 } else { before };
    let times = window(times);
    let more = match operation {
        QueryOperation::Submit { read_all } => format!("&read_all={read_all}&{times}"),
        QueryOperation::Plan => format!("&{times}"),
        QueryOperation::Estimate if kind == QueryType::Read => format!("&{times}"),
        _ => String::new(),
    };
    route(ResourceKind::Arrays, version, remote_uri, &format!("/query/{name}?type={}{more}", kind.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_those_of_the_recorded_session() {
        let remote_uri = RemoteUri { space: "ws/ts".into(), path: "a/b".into(), storage: None };
        let legacy = RemoteUri { space: "ns".into(), path: "g".into(), storage: None };
        let query = |operation, refactored| query_route(&remote_uri, operation, QueryType::Read, (0, 9), refactored);
        let routes = [
            route(ResourceKind::Arrays, 1, &remote_uri, ""),
            route(ResourceKind::Arrays, 2, &remote_uri, &format!("/?{}", window((0, u64::MAX)))),
            query(QueryOperation::Submit { read_all: false }, true),
            query(QueryOperation::Submit { read_all: true }, false),
            query(QueryOperation::Finalize, true),
            query(QueryOperation::Finalize, false),
            query(QueryOperation::SubmitAndFinalize, true),
            query(QueryOperation::SubmitAndFinalize, false),
            query(QueryOperation::Estimate, true),
            query(QueryOperation::Plan, true),
            query(QueryOperation::Plan, false),
            new_group_route(&remote_uri, false),
            new_group_route(&legacy, true),
            members_route(&remote_uri, false),
            members_route(&legacy, true),
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
        assert_eq!(routes.join("\n"), expected);
    }
}
