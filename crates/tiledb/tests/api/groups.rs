//! Groups, objects and files.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use tiledb::object::{self, WalkOrder};
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, ErrorKind, Group, ObjectType, Vfs};

fn schema() -> ArraySchema {
    let builder = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32));
    builder.attribute(Attribute::new::<i32>("a")).build().unwrap()
}

#[test]
fn groups_have_members_and_metadata() {
    let ctx = Context::new().unwrap();
    Group::create(&ctx, "mem://g").unwrap();
    Group::create(&ctx, "mem://g/inner").unwrap();
    Array::create(&ctx, "mem://g/a", &schema()).unwrap();
    Array::create(&ctx, "mem://elsewhere", &schema()).unwrap();
    assert_eq!(Group::create(&ctx, "mem://g").unwrap_err().kind(), ErrorKind::AlreadyExists);
    let writer = Group::open_for_writing(&ctx, "mem://g").unwrap();
    writer.add_relative("a", Some("array")).unwrap();
    writer.add_relative("inner", None).unwrap();
    writer.add("mem://elsewhere", Some("other")).unwrap();
    writer.put_metadata("version", 3).unwrap();
    writer.close().unwrap();

    let group = Group::open(&ctx, "mem://g").unwrap();
    let members = group.members().unwrap();
    let found: Vec<_> = members.iter().map(|member| (member.name(), member.uri(), member.kind())).collect();
    let array = Some(ObjectType::Array);
    assert_eq!(
        found,
        [
            (Some("array"), "mem://g/a", array),
            (None, "mem://g/inner", Some(ObjectType::Group)),
            (Some("other"), "mem://elsewhere", array)
        ]
    );
    assert!(group.member("array").unwrap().is_relative());
    assert_eq!(group.member("none").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(group.metadata().unwrap().get::<i32>("version").unwrap(), Some(3));

    let writer = Group::open_for_writing(&ctx, "mem://g").unwrap();
    writer.remove("other").unwrap();
    drop(writer);
    assert_eq!(Group::open(&ctx, "mem://g").unwrap().members().unwrap().len(), 2);
    Group::delete(&ctx, "mem://g", true).unwrap();
    assert_eq!(object::object_type(&ctx, "mem://g/a").unwrap(), None);
    assert!(Array::exists(&ctx, "mem://elsewhere").unwrap());
}

#[test]
fn objects_are_listed_moved_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let at = |name: &str| format!("{root}/{name}");
    let ctx = Context::new().unwrap();
    Group::create(&ctx, &at("g")).unwrap();
    Array::create(&ctx, &at("g/a"), &schema()).unwrap();
    Array::create(&ctx, &at("b"), &schema()).unwrap();
    let names = |objects: Vec<(String, ObjectType)>| -> Vec<String> {
        objects.into_iter().map(|(uri, _)| uri.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(object::list(&ctx, root).unwrap()), ["b", "g"]);
    for (order, expected) in [(WalkOrder::Preorder, ["b", "g", "a"]), (WalkOrder::Postorder, ["b", "a", "g"])] {
        let mut visited = Vec::new();
        object::walk(&ctx, root, order, |uri, kind| {
            visited.push((uri.to_owned(), kind));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(names(visited), expected);
    }
    object::rename(&ctx, &at("b"), &at("c")).unwrap();
    object::remove(&ctx, &at("g")).unwrap();
    assert_eq!(names(object::list(&ctx, root).unwrap()), ["c"]);
    Array::delete(&ctx, &at("c")).unwrap();
    assert!(object::list(&ctx, root).unwrap().is_empty());
}

#[test]
fn files_are_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = Context::new().unwrap();
    let vfs = Vfs::new(&ctx);
    for root in [folder.path().to_str().unwrap().to_owned(), "mem://files".to_owned()] {
        let at = |name: &str| format!("{root}/{name}");
        vfs.create_dir(&root).unwrap();
        let mut file = vfs.create(&at("a")).unwrap();
        file.write_all(b"0123").unwrap();
        file.write_all(b"456789").unwrap();
        file.finish().unwrap();
        let mut file = vfs.open(&at("a")).unwrap();
        let mut part = [0; 3];
        file.read_at(4, &mut part).unwrap();
        assert_eq!((&part, file.len()), (b"456", 10));
        file.seek(SeekFrom::End(-2)).unwrap();
        let mut rest = String::new();
        file.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "89");
        vfs.copy_file(&at("a"), &at("b")).unwrap();
        vfs.move_file(&at("b"), &at("c")).unwrap();
        vfs.write(&at("c"), b"new").unwrap();
        assert_eq!((vfs.read(&at("c")).unwrap(), vfs.size(&at("a")).unwrap()), (b"new".to_vec(), 10));
        assert!(vfs.is_file(&at("c")).unwrap() && !vfs.is_file(&at("b")).unwrap() && vfs.is_dir(&root).unwrap());
        assert_eq!((vfs.list(&root).unwrap().len(), vfs.dir_size(&root).unwrap()), (2, 13));
        vfs.remove_file(&at("c")).unwrap();
        assert_eq!(vfs.read(&at("c")).unwrap_err().kind(), ErrorKind::NotFound);
        vfs.remove_dir(&root).unwrap();
    }
}
