//! Numbers of requests, which `docs/object_store_costs.md` lists.

use std::path::Path;

use super::server::{Response, Server, file, path_of};
use super::{CELLS, context, write_array};
use tiledb::maintenance::{Consolidation, ConsolidationMode};
use tiledb::publish::{INDEX_FILE, IndexWriter};
use tiledb::{Array, ArraySchema, Attribute, Context, Datatype, Dimension, Vfs};

/// Requests to open an array, for the first slice, and for a slice elsewhere.
fn requests(server: &Server, name: &str, parameters: &[(&str, &str)]) -> [usize; 3] {
    let ctx = context(parameters);
    let array = Array::open(&ctx, &format!("{}/{name}", server.address)).unwrap();
    let opened = server.take().len();
    let mut slices = [10, 90_000].map(|from: i32| {
        array.read().range("x", from..=from + 2).all().unwrap();
        server.take().len()
    });
    // Files of a sparse array are read ahead to their ends the first time.
    array.read().range("x", 50_000..=50_002).all().unwrap();
    slices[1] = slices[1].max(server.take().len());
    [opened, slices[0], slices[1]]
}

fn consolidate(uri: &str, modes: &[ConsolidationMode]) {
    for mode in modes {
        Consolidation::new().mode(*mode).run(&Context::new().unwrap(), uri).unwrap();
    }
}

fn write_sparse(uri: &str) {
    let ctx = Context::new().unwrap();
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("x", 0..=CELLS - 1).tile(1_000))
        .attribute(Attribute::new::<i32>("a"))
        .attribute(Attribute::with_datatype("s", Datatype::StringUtf8))
        .capacity(1_000)
        .build()
        .unwrap();
    Array::create(&ctx, uri, &schema).unwrap();
    let cells: Vec<i32> = (0..CELLS).collect();
    let texts: Vec<String> = cells.iter().map(|cell| format!("a text of some length {cell}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let array = Array::open_for_writing(&ctx, uri).unwrap();
    array.write().values("x", &cells).values("a", &cells).strings("s", &texts).submit().unwrap();
}

/// The listing of a bucket, in which a folder of this server lies.
fn bucket(root: &Path) -> Server {
    let root = root.to_owned();
    Server::start(move |request| {
        let Some(query) = request.target.strip_prefix("/bucket?list-type=2&prefix=") else {
            return match request.target.starts_with("/?") {
                true => Response::new(400, ""),
                false => file(&root, request, true),
            };
        };
        let prefix = query.split('&').next().unwrap().replace("%2F", "/");
        let mut listed = String::new();
        for entry in std::fs::read_dir(root.join("bucket").join(&prefix)).into_iter().flatten().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            listed += &match entry.path().is_dir() {
                true => format!("<CommonPrefixes><Prefix>{prefix}{name}/</Prefix></CommonPrefixes>"),
                false => {
                    let size = entry.metadata().unwrap().len();
                    format!("<Contents><Key>{prefix}{name}</Key><Size>{size}</Size></Contents>")
                }
            };
        }
        Response::new(200, format!("<ListBucketResult>{listed}</ListBucketResult>"))
            .with("content-type", "application/xml")
    })
}

/// Pages of links, as nginx makes them.
fn links(root: &Path) -> Server {
    let root = root.to_owned();
    Server::start(move |request| {
        let path = path_of(&root, &request.target);
        if !path.is_dir() {
            return file(&root, request, true);
        }
        let links = std::fs::read_dir(path).unwrap().map(Result::unwrap).map(|entry| {
            let name = entry.file_name().into_string().unwrap().replace('%', "%25");
            format!("<a href=\"{name}{}\">x</a>", if entry.path().is_dir() { "/" } else { "" })
        });
        let page = format!("<title>Index of /</title><a href=\"../\">..</a>{}", links.collect::<String>());
        Response::new(200, page).with("content-type", "text/html")
    })
}

#[test]
fn numbers_of_requests_are_those_of_the_table() {
    use ConsolidationMode::{Commits, FragmentMetadata, Fragments};
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("bucket");
    std::fs::create_dir(&root).unwrap();
    let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
    write_array(&at("one"), 1);
    write_array(&at("ten"), 10);
    write_array(&at("metadata"), 10);
    consolidate(&at("metadata"), &[FragmentMetadata, Commits]);
    write_array(&at("footers"), 10);
    consolidate(&at("footers"), &[FragmentMetadata]);
    write_array(&at("merged"), 10);
    consolidate(&at("merged"), &[Fragments]);
    write_sparse(&at("sparse"));
    let ctx = Context::new().unwrap();
    let names = ["one", "ten", "metadata", "footers", "merged", "sparse"];
    for name in names {
        IndexWriter::new().without_digests().run(&ctx, &at(name)).unwrap();
    }
    let server = Server::files(&root);
    let counts: Vec<(&str, [usize; 3])> = names.iter().map(|name| (*name, requests(&server, name, &[]))).collect();
    Vfs::new(&ctx).remove_file(&format!("{}/{INDEX_FILE}", at("one"))).unwrap();
    let xml = requests(&bucket(folder.path()), "bucket/one", &[]);
    let html = requests(&links(folder.path()), "bucket/one", &[("vfs.http.html_listing", "true")]);
    let counts: Vec<_> = counts.into_iter().chain([("xml", xml), ("html", html)]).collect();
    let expected = [
        ("one", [2, 2, 1]),
        ("ten", [2, 11, 1]),
        ("metadata", [3, 3, 1]),
        ("footers", [2, 3, 1]),
        ("merged", [3, 2, 1]),
        ("sparse", [2, 5, 4]),
        ("xml", [7, 2, 1]),
        ("html", [8, 2, 1]),
    ];
    assert_eq!(counts, expected);
}
