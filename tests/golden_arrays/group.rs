//! A golden group: its members and metadata in every time window, and the objects that a walk visits.

use serde_json::{Value, json};

use support::golden::case::{Case, list};
use support::golden::query::Outcome;
use support::walk;
use support::{Api, Ctx, Failure, address, borrowed, pointer, text};

/// Checks everything that is recorded of the group. One that must lie at a certain place is taken away again.
pub fn check(case: &Case, api: &Api) -> Outcome {
    let Some(place) = case.document()["unpack_at"].as_str() else { return check_all(case, api) };
    case.unpack(place.as_ref());
    let outcome = check_all(case, api);
    std::fs::remove_dir_all(place).unwrap();
    outcome
}

fn check_all(case: &Case, api: &Api) -> Outcome {
    for record in list(&case.document()["groups"]) {
        let path = record["path"].as_str().unwrap();
        let uri = if path.is_empty() { case.uri().to_owned() } else { format!("{}/{path}", case.uri()) };
        let time = |end: &str| record["open"][end].as_u64().map(|time| time.to_string());
        let (start, end) = (time("start").unwrap_or("0".to_owned()), time("end").unwrap_or(u64::MAX.to_string()));
        let ctx = case.context_with(api, &[("sm.group.timestamp_start", &start), ("sm.group.timestamp_end", &end)]);
        let actual = observe(&ctx, &uri).map_err(|failure| format!("{path}: {failure:?}"))?;
        for what in ["members", "metadata"] {
            if actual[what] != record[what] {
                return Err(format!("{path} at {} has {what} {}, not {}", record["open"], actual[what], record[what]));
            }
        }
    }
    let mut walked: Vec<Value> = walk::walk(&case.context(api), case.uri(), 0, u64::MAX)
        .into_iter()
        .map(|(uri, kind)| json!([within(&uri, case.uri()).unwrap_or(&uri), kind]))
        .collect();
    walked.sort_by_key(Value::to_string);
    let recorded = &case.document()["walk"];
    if Value::from(walked.clone()) == *recorded {
        Ok(())
    } else {
        Err(format!("a walk finds {walked:?}, not {recorded}"))
    }
}

fn observe(ctx: &Ctx<'_>, uri: &str) -> Result<Value, Failure> {
    let uri = text(uri);
    let group = ctx.get("group_alloc", &[pointer(&uri)])?;
    ctx.call("group_open", &[group, 0])?;
    let home = borrowed(ctx.get("group_get_uri", &[group])?);
    let mut members = Vec::new();
    for index in 0..ctx.get("group_get_member_count", &[group])? {
        members.push(member(ctx, group, index, &home)?);
    }
    let key = |member: &Value| {
        (member["path"].as_str().unwrap().to_owned(), member["name"].as_str().unwrap_or_default().to_owned())
    };
    members.sort_by_key(key);
    let mut metadata = Vec::new();
    for index in 0..ctx.get("group_get_metadata_num", &[group])? {
        metadata.push(value(ctx, group, index)?);
    }
    ctx.call("group_close", &[group])?;
    ctx.free("group", group);
    Ok(json!({"members": members, "metadata": metadata}))
}

fn member(ctx: &Ctx<'_>, group: u64, index: u64, home: &str) -> Result<Value, Failure> {
    let (mut uri, mut kind, mut name) = (0u64, 0u32, 0u64);
    let out = [address(&mut uri), address(&mut kind), address(&mut name)];
    ctx.call("group_get_member_by_index_v2", &[&[group, index], &out[..]].concat())?;
    let (uri, name) = (ctx.take_string(uri).unwrap(), ctx.take_string(name));
    let relative = match &name {
        Some(name) => {
            let name = text(name);
            Some(ctx.get("group_get_is_relative_uri_by_name", &[group, pointer(&name)])? != 0)
        }
        None => None,
    };
    let path = within(&uri, home);
    let kind = ["INVALID", "GROUP", "ARRAY"][kind as usize];
    let inside = path.is_some();
    let path = path.unwrap_or(&uri);
    Ok(json!({"name": name, "type": kind, "relative": relative, "path": path, "inside_group": inside}))
}

fn value(ctx: &Ctx<'_>, group: u64, index: u64) -> Result<Value, Failure> {
    let (mut key, mut length, mut kind, mut count, mut at) = (0u64, 0u32, 0u32, 0u32, 0u64);
    let out = [address(&mut key), address(&mut length), address(&mut kind), address(&mut count), address(&mut at)];
    ctx.call("group_get_metadata_from_index", &[&[group, index], &out[..]].concat())?;
    let mut name = 0u64;
    ctx.api.raw("datatype_to_str", &[kind.into(), address(&mut name)]);
    let size = ctx.api.raw("datatype_size", &[kind.into()]) as usize * count as usize;
    let bytes = if at == 0 { Vec::new() } else { walk::bytes_at(at, size) };
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let key = String::from_utf8(walk::bytes_at(key, length as usize)).unwrap();
    Ok(json!({"key": key, "type": borrowed(name), "num": count, "null_pointer": at == 0, "hex": hex}))
}

/// The part of a URI below a folder, given as a path or URI.
fn within<'a>(uri: &'a str, folder: &str) -> Option<&'a str> {
    let folder = folder.trim_start_matches("file://").trim_end_matches('/');
    uri.trim_start_matches("file://").strip_prefix(folder)?.strip_prefix('/').map(|rest| rest.trim_end_matches('/'))
}
