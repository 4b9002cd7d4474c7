//! Groups in memory: members over time, text, deletion.

use super::*;
use std::sync::Arc;

use crate::schema::{ArraySchema, Dimension, Domain};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, Datatype, ObjectType, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const READ: u32 = QueryType::Read as u32;
const WRITE: u32 = QueryType::Write as u32;
const EXCLUSIVE: u32 = QueryType::ModifyExclusive as u32;

fn at(resources: &Resources, end: u64) -> Resources {
    let mut config = Config::new();
    config.set("sm.group.timestamp_end", &end.to_string()).unwrap();
    resources.with_config(config).unwrap()
}

fn change(resources: &Resources, uri: &str, end: u64, change: impl FnOnce(&Group)) {
    let group = Group::new(&at(resources, end), uri).unwrap();
    group.open(WRITE).unwrap();
    change(&group);
    group.close().unwrap();
}

fn names(resources: &Resources, uri: &str, end: u64) -> Vec<String> {
    let group = Group::new(&at(resources, end), uri).unwrap();
    group.open(READ).unwrap();
    let open = group.with_members("").unwrap();
    let name = |index| open.member_at(index).unwrap().name.clone().unwrap_or_default();
    (0..open.len() as u64).map(name).collect()
}

fn groups(uris: &[&str]) -> Resources {
    let resources = Resources::new(Config::new()).unwrap();
    uris.iter().for_each(|uri| create(&resources, uri).unwrap());
    resources
}

fn text<T>(outcome: Result<T>) -> String {
    outcome.err().unwrap().text().to_owned()
}

#[test]
fn members_change_over_time() {
    let resources = groups(&["mem://g", "mem://g/x", "mem://other"]);
    change(&resources, "mem://g", 10, |group| {
        group.add_member("x", true, Some("in"), None).unwrap();
        group.add_member("mem://other", false, Some("out"), None).unwrap();
        group.add_member("nowhere", true, Some("no"), None).unwrap();
        assert!(text(group.add_member("y", true, Some("in"), None)).contains("already been added"));
    });
    change(&resources, "mem://g", 20, |group| {
        group.remove_member("nowhere").unwrap();
        assert!(text(group.remove_member("no")).contains("already been removed"));
        assert!(text(group.remove_member("never")).contains("does not exist"));
        group.remove_member("out").unwrap();
        group.add_member("x", true, Some("out"), Some(ObjectType::Array)).unwrap();
    });
    assert_eq!(names(&resources, "mem://g", 9), [""; 0]);
    assert_eq!(names(&resources, "mem://g", 10), ["in", "no", "out"]);
    assert_eq!(names(&resources, "mem://g", 20), ["in", "out"]);
    let group = Group::new(&resources, "mem://g").unwrap();
    group.open(READ).unwrap();
    let open = group.with_members("").unwrap();
    let member = open.member_named("out").unwrap();
    assert_eq!((member.location(open.uri()), member.kind), ("mem://g/x".to_owned(), ObjectType::Array));
    assert!(open.member_named("x").is_err() && open.member_at(2).is_err());
}

/// The details of a group as another writer may store them: relative members of this type, by name.
fn store_details(resources: &Resources, group: &Uri, time: u64, kind: ObjectType, members: &[(&str, &str)]) {
    let member =
        |&(name, uri): &(&str, &str)| Member { kind, relative: true, uri: uri.to_owned(), name: Some(name.to_owned()) };
    let members: Vec<Member> = members.iter().map(member).collect();
    let details = details::GroupDetails { version: COMPLETE, members: members.iter().collect(), removed: Vec::new() };
    details.write(resources, group, CURRENT_VERSION, time, &EncryptionKey::None).unwrap();
}

/// Relative members that lead out of the folder are not added. Where another writer stored one, all members are listed; it is
/// not followed; above all, nothing there is deleted.
#[test]
fn relative_members_stay_in_the_folder() {
    let resources = groups(&["mem://g", "mem://g/in", "mem://g/in/deep", "mem://sibling"]);
    let root = Uri::parse("mem://g").unwrap();
    let hostile =
        ["../sibling", "..", "in/../../sibling", "./../sibling", "in/deep/../../..", "/../sibling", "in\0", "//.."];
    for (time, uri) in (1..).zip(hostile) {
        let group = Group::new(&resources, "mem://g").unwrap();
        group.open(WRITE).unwrap();
        for kind in [None, Some(ObjectType::Group)] {
            let refused = text(group.add_member(uri, true, Some("m"), kind));
            assert!(refused.contains("'m'") && refused.contains("by its whole URI"), "{uri}: {refused}");
        }
        group.close().unwrap();
        store_details(
            &resources,
            &root,
            time,
            ObjectType::Group,
            &[("bad", uri), ("good", "in/deep/"), ("also", "/in"), ("odd", "./in//deep/.")],
        );
        group.open(READ).unwrap();
        let open = group.with_members("").unwrap();
        let location = |name: &str| open.member_named(name).unwrap().location(open.uri());
        assert_eq!(location("bad"), format!("mem://g/{}", uri.strip_prefix('/').unwrap_or(uri)));
        let expected = ["mem://g/in/deep/", "mem://g/in", "mem://g/in/deep"];
        assert_eq!(["good", "also", "odd"].map(location), expected);
        let dump = group.dump(true).unwrap();
        assert!(dump.contains("|-- bad GROUP (outside of this group)\n|-- good GROUP\n|-- odd GROUP\n"), "{dump}");
        group.close().unwrap();
        let refused = text(delete(&resources, &root, true));
        assert!(refused.contains("'bad'"), "{uri}: {refused}");
        for uri in ["mem://sibling", "mem://g/in/deep", "mem://g/in", "mem://g"] {
            assert!(exists(resources.vfs(), &Uri::parse(uri).unwrap()).unwrap());
        }
    }
    store_details(
        &resources,
        &root,
        90,
        ObjectType::Group,
        &[("odd", "./in//deep/../deep/."), ("self", "."), ("empty", "")],
    );
    delete(&resources, &root, true).unwrap();
    for (uri, is_left) in
        [("mem://sibling", true), ("mem://g/in/deep", false), ("mem://g", false), ("mem://g/in", true)]
    {
        assert_eq!(exists(resources.vfs(), &Uri::parse(uri).unwrap()).unwrap(), is_left, "{uri}");
    }
}

/// On a disk a URI with `..` that leads out of a group is not opened, changed or deleted, and neither is what links of the folder
/// lead to.
#[test]
fn uris_of_members_outside_are_not_opened() {
    let place = tempfile::tempdir().unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let base = Uri::from_path(place.path()).unwrap();
    let (root, outside) = (base.join("g"), base.join("outside"));
    for name in ["g", "g/sub", "g/plain/in", "outside"] {
        std::fs::create_dir_all(base.join(name).local().unwrap().unwrap()).unwrap();
        create(&resources, base.join(name).as_str()).unwrap();
    }
    store_details(
        &resources,
        &root,
        1,
        ObjectType::Group,
        &[("bad", "plain/../../outside"), ("odd", ".//plain/./in"), ("up", "plain/../sub")],
    );
    let group = Group::new(&resources, root.as_str()).unwrap();
    group.open(READ).unwrap();
    let open = group.with_members("").unwrap();
    let location = |name: &str| open.member_named(name).unwrap().location(open.uri());
    assert_eq!(location("odd"), format!("{root}/.//plain/./in"));
    // A link `plain` would lead elsewhere.
    assert_eq!(location("up"), format!("{root}/sub"));
    let bad = location("bad");
    assert_eq!(bad, format!("{root}/plain/../../outside"));
    let at = |uri: &str| Group::new(&resources, uri).unwrap();
    for query_type in [READ, WRITE, EXCLUSIVE] {
        at(&location("odd")).open(query_type).unwrap();
        for uri in [&bad, &format!("{root}/../outside"), &format!("{root}/sub/../../outside/.")] {
            assert!(text(at(uri).open(query_type)).contains("leads out of the group"));
        }
    }
    at(&format!("{base}/./none/../outside")).open(READ).unwrap_err();
    at(&format!("{outside}/../g/plain/../sub")).open(READ).unwrap_err();
    at(&format!("{base}/g/plain/../sub")).open(READ).unwrap();
    assert!(text(delete(&resources, &Uri::parse(&bad).unwrap(), false)).contains("leads out of the group"));
    assert!(text(create(&resources, &format!("{root}/../new"))).contains("leads out of the group"));
    assert!(text(crate::object::remove(resources.vfs(), &bad)).contains("leads out of the group"));
    assert!(
        text(crate::object::rename(resources.vfs(), &bad, &format!("{base}/b"))).contains("leads out of the group")
    );
    assert!(
        text(crate::array::load_schema(&resources, &Uri::parse(&bad).unwrap(), &EncryptionKey::None))
            .contains("leads out")
    );
    std::os::unix::fs::symlink(outside.local().unwrap().unwrap(), root.join("link").local().unwrap().unwrap()).unwrap();
    store_details(&resources, &root, 2, ObjectType::Group, &[("linked", "link"), ("odd", ".//plain/./in")]);
    let refused = text(delete(&resources, &root, true));
    assert!(refused.contains("'linked'") && refused.contains("symbolic link"), "{refused}");
    for name in ["g", "g/sub", "g/plain/in", "outside"] {
        assert!(exists(resources.vfs(), &base.join(name)).unwrap());
    }
}

/// Members that are links, by relative or complete URI, and a group whose own path is a link are refused before anything is
/// deleted; members that are links to nowhere are missing ones.
#[test]
fn links_are_not_deleted_through() {
    let place = tempfile::tempdir().unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let base = Uri::from_path(place.path()).unwrap();
    let root = base.join("g");
    for name in ["g", "g/sub", "g/inner", "outside"] {
        create(&resources, base.join(name).as_str()).unwrap();
    }
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, place.path().join(name)).unwrap();
    link("sub", "g/to_sub");
    link("../outside", "g/to_outside");
    link("outside", "to_outside");
    link("g", "to_g");
    link("nowhere", "g/to_nowhere");
    let whole = |name: &str| base.join(name).as_str().to_owned();
    let members =
        [("to_sub", true), (&whole("g/to_sub"), false), (&whole("to_outside"), false), (&whole("to_outside/"), false)];
    for (time, (member, relative)) in members.into_iter().enumerate() {
        let time = 2 * time as u64 + 1;
        change(&resources, root.as_str(), time, |group| {
            group.add_member("inner", true, Some("a"), None).unwrap();
            group.add_member(member, relative, Some("linked"), None).unwrap();
            group.add_member("to_nowhere", true, Some("z"), None).unwrap();
        });
        for path in ["g", "to_g", "to_g/", "to_g/."] {
            let refused = text(delete(&resources, &base.join(path), true));
            assert!(refused.contains("is a symbolic link"), "{path}, {member}: {refused}");
            assert!(refused.contains(if path == "g" { "'linked'" } else { path }), "{path}, {member}: {refused}");
        }
        assert!(text(delete(&resources, &base.join("to_g"), false)).contains("is a symbolic link"));
        for name in ["g", "g/sub", "g/inner", "outside"] {
            assert!(exists(resources.vfs(), &base.join(name)).unwrap());
        }
        change(&resources, root.as_str(), time + 1, |group| group.remove_member("linked").unwrap());
    }
    delete(&resources, &root, true).unwrap();
    for (name, is_left) in [("g", false), ("g/inner", false), ("g/sub", true), ("outside", true)] {
        assert_eq!(exists(resources.vfs(), &base.join(name)).unwrap(), is_left, "{name}");
    }
}

#[test]
fn a_new_member_can_be_removed_before_the_group_is_closed() {
    let resources = groups(&["mem://g", "mem://g/x", "mem://g/y"]);
    change(&resources, "mem://g", 10, |group| {
        group.add_member("x", true, Some("x"), None).unwrap();
        group.add_member("y", true, None, None).unwrap();
        group.add_member("mem://g/y", false, Some("whole"), None).unwrap();
        group.remove_member("mem://g/y").unwrap();
        group.remove_member("x").unwrap();
        assert!(text(group.remove_member("x")).contains("does not exist"));
        group.add_member("y", true, Some("x"), None).unwrap();
    });
    let group = Group::new(&at(&resources, 10), "mem://g").unwrap();
    group.open(READ).unwrap();
    let open = group.with_members("").unwrap();
    let uris: Vec<&str> = (0..open.len() as u64).map(|index| open.member_at(index).unwrap().uri.as_str()).collect();
    assert_eq!(uris, ["y", "y"]);
    // One that replaces another goes with it.
    change(&resources, "mem://g", 20, |group| {
        group.add_member("x", true, Some("x"), None).unwrap();
        group.remove_member("x").unwrap();
        assert!(text(group.remove_member("x")).contains("already been removed"));
    });
    assert_eq!(names(&resources, "mem://g", 20), [""]);
}

#[test]
fn members_are_removed_by_their_uris() {
    let resources = groups(&["mem://g"]);
    let add = |group: &Group, uri: &str, name: &str| group.add_member(uri, false, Some(name), None).unwrap();
    change(&resources, "mem://g", 10, |group| {
        (0..10).for_each(|number| add(group, &format!("mem://{number}"), &format!("n{number}")));
        add(group, "mem://0", "again");
    });
    change(&resources, "mem://g", 20, |group| {
        assert!(text(group.remove_member("mem://0")).contains("multiple members"));
        group.remove_member("again").unwrap();
        // What is removed still has its URI.
        assert!(text(group.remove_member("mem://0")).contains("multiple members"));
        add(group, "mem://new", "n1");
        assert!(text(group.remove_member("mem://1")).contains("does not exist"));
        group.remove_member("mem://new").unwrap();
        (2..9).for_each(|number| group.remove_member(&format!("mem://{number}")).unwrap());
        assert!(text(group.remove_member("mem://2")).contains("already been removed"));
        add(group, "mem://9", "other");
        assert!(text(group.remove_member("mem://9")).contains("multiple members"));
    });
    assert_eq!(names(&resources, "mem://g", 20), ["n0", "n9", "other"]);
}

#[test]
fn groups_and_arrays_keep_out_of_the_files_of_one_another() {
    let place = tempfile::tempdir().unwrap();
    let on_disk = Uri::from_path(place.path()).unwrap();
    for folder in [on_disk.as_str(), "mem://nested"] {
        let resources = Resources::new(Config::new()).unwrap();
        let at = |name: &str| format!("{folder}/{name}");
        let dimension = Dimension::new("d", Datatype::Int32, Some(&[0, 0, 0, 0, 9, 0, 0, 0]), Some(&[5, 0, 0, 0]));
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension.unwrap())]))).unwrap();
        let array = |name: &str| {
            let uri = Uri::parse(&at(name)).unwrap();
            crate::array::create(&resources, &uri, &schema, &EncryptionKey::None)
        };
        array("a").unwrap();
        for name in ["a/g", "a/x/y/g"] {
            let refused = text(create(&resources, &at(name)));
            assert!(refused.contains("lies in the folder of the array") && refused.contains(&at("a")), "{refused}");
        }
        create(&resources, &at("g")).unwrap();
        let refused_for = |refused: String, owner: &str| {
            let is_named = refused.contains("lies among the files of") && refused.contains(&format!("{}'", at(owner)));
            assert!(is_named, "{refused}");
        };
        // The folder of a group with one of the last three would be an array.
        let of_array = ["g/__schema", "g/__schema/x", "g/__array_schema.tdb"];
        for name in ["g/__group/a", "g/__meta/a", "g/__group/x/y", "g/__meta"].into_iter().chain(of_array) {
            refused_for(text(array(name)), "g");
            refused_for(text(create(&resources, &at(name))), "g");
        }
        create(&resources, &at("free")).unwrap();
        for folder in ["__schema", "__fragments", "__commits", "__fragment_meta", "__meta", "__labels", "__1_1_aa_22"] {
            for name in [format!("a/{folder}"), format!("a/{folder}/x"), format!("a/{folder}/x/y")] {
                refused_for(text(array(&name)), "a");
                refused_for(text(create(&resources, &at(&name))), "a");
                refused_for(text(crate::object::rename(resources.vfs(), &at("free"), &at(&name))), "a");
            }
        }
        array("a/__free_of_arrays").unwrap_err();
        array("x/__commits/y").unwrap();
        create(&resources, &at("g/s")).unwrap();
        for name in ["g", "g/a", "__meta/a", "g/x/y"] {
            array(name).unwrap();
        }
    }
}

/// A member in the folder of the group is what it is by its whole URI, and what it is when it is added.
#[test]
fn types_of_members_in_the_folder_are_those_of_their_uris() {
    let place = tempfile::tempdir().unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::from_path(&place.path().join("g")).unwrap();
    create(&resources, uri.as_str()).unwrap();
    create(&resources, uri.join("group").as_str()).unwrap();
    for folder in ["array/__schema", "old", "plain/__schema.tdb", "a b/__schema"] {
        std::fs::create_dir_all(place.path().join("g").join(folder)).unwrap();
    }
    std::fs::write(place.path().join("g/old/__array_schema.tdb"), "").unwrap();
    std::fs::write(place.path().join("g/file"), "").unwrap();
    std::os::unix::fs::symlink("array", place.path().join("g/link")).unwrap();
    let members = ["group", "array", "old", "plain", "file", "link", "a b", "none", "array/__schema", "later"];
    change(&resources, uri.as_str(), 1, |group| {
        for (number, member) in members.iter().enumerate() {
            if *member == "later" {
                std::fs::create_dir_all(place.path().join("g/later/__schema")).unwrap();
            }
            group.add_member(member, true, Some(&format!("in {number}")), None).unwrap();
            group.add_member(uri.join(member).as_str(), false, Some(&format!("at {number}")), None).unwrap();
        }
    });
    let group = Group::new(&resources, uri.as_str()).unwrap();
    group.open(READ).unwrap();
    let open = group.with_members("").unwrap();
    let kind = |name: String| open.member_named(&name).unwrap().kind;
    use ObjectType::{Array, Group as Folder, Invalid};
    let expected = [Folder, Array, Array, Invalid, Invalid, Array, Array, Invalid, Invalid, Array];
    for (number, expected) in expected.into_iter().enumerate() {
        assert_eq!(
            (kind(format!("in {number}")), kind(format!("at {number}"))),
            (expected, expected),
            "{}",
            members[number]
        );
    }
}

#[test]
fn text_shows_groups_below_and_ends_where_they_turn_in_a_circle() {
    let resources = groups(&["mem://g", "mem://g/a", "mem://g/a/b"]);
    change(&resources, "mem://g", 1, |group| {
        group.add_member("a", true, None, None).unwrap();
        group.add_member("gone", true, Some("z"), Some(ObjectType::Group)).unwrap();
    });
    change(&resources, "mem://g/a", 1, |group| group.add_member("b", true, Some("bee"), None).unwrap());
    change(&resources, "mem://g/a/b", 1, |group| group.add_member("mem://g", false, Some("up"), None).unwrap());
    let group = Group::new(&resources, "mem://g/").unwrap();
    assert_eq!(group.dump(true).unwrap(), "g GROUP\n");
    group.open(READ).unwrap();
    assert_eq!(group.dump(false).unwrap(), "g GROUP\n|-- a GROUP\n|-- z GROUP\n");
    assert_eq!(
        group.dump(true).unwrap(),
        "g GROUP\n|-- a GROUP\n|------ bee GROUP\n|---------- up GROUP (contains this group)\n\
         |-- z GROUP (does not exist)\n"
    );
}

#[test]
fn deleted_groups_take_their_members_along_if_recursive() {
    for (recursive, query_type) in [(false, EXCLUSIVE), (true, EXCLUSIVE), (false, WRITE), (true, WRITE)] {
        let resources = groups(&["mem://g", "mem://g/a", "mem://far"]);
        let vfs = resources.vfs();
        vfs.put(&Uri::parse("mem://g/a/foreign").unwrap(), b"1").unwrap();
        change(&resources, "mem://g", 1, |group| {
            group.add_member("a", true, None, None).unwrap();
            group.add_member("mem://far", false, None, None).unwrap();
            group.add_member("gone", true, None, Some(ObjectType::Array)).unwrap();
        });
        change(&resources, "mem://far", 1, |group| group.add_member("mem://g", false, None, None).unwrap());
        let group = Group::new(&resources, "mem://g").unwrap();
        group.open(READ).unwrap();
        assert!(text(group.delete("mem://g", recursive)).contains("MODIFY_EXCLUSIVE or WRITE"));
        group.close().unwrap();
        group.open(query_type).unwrap();
        group.add_member("late", true, None, None).unwrap();
        assert!(group.delete("mem://none", recursive).is_err() && group.is_open());
        group.delete("mem://g", recursive).unwrap();
        assert!(!group.is_open());
        group.close().unwrap();
        let exists = |uri: &str| create::exists(vfs, &Uri::parse(uri).unwrap()).unwrap();
        assert_eq!(["mem://g", "mem://g/a", "mem://far"].map(exists), [false, !recursive, !recursive]);
        assert!(vfs.is_file(&Uri::parse("mem://g/a/foreign").unwrap()).unwrap());
    }
}
