//! Consolidation, vacuum, verification and the like.

use std::ops::ControlFlow;

use tiledb::maintenance::{
    self, AdvisedProperty, Consolidation, ConsolidationMode, FindingKind, Maintenance, Objective, Rewrite, StepKind,
    Vacuum, Verify,
};
use tiledb::{Array, ArraySchema, Attribute, Cells, Config, Context, Dimension, ErrorKind, Filter};

fn sparse(ctx: &Context, uri: &str, fragments: i32) {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=9_999_i32).tile(100))
        .attribute(Attribute::new::<i64>("a").filter(Filter::checksum_sha256()))
        .build()
        .unwrap();
    Array::create(ctx, uri, &schema).unwrap();
    for at in 0..fragments {
        let ids: Vec<i32> = (100 * at..100 * at + 50).collect();
        let values: Vec<i64> = ids.iter().map(|id| i64::from(*id)).collect();
        let writer = Array::options().at(at as u64 + 1).open_for_writing(ctx, uri).unwrap();
        writer.write().values("id", &ids).values("a", &values).submit().unwrap();
    }
}

fn count(ctx: &Context, uri: &str) -> usize {
    Array::load_fragments(ctx, uri).unwrap().len()
}

#[test]
fn fragments_are_merged_and_removed() {
    let (ctx, uri) = (Context::new().unwrap(), "mem://a");
    sparse(&ctx, uri, 6);
    let names: Vec<String> =
        Array::load_fragments(&ctx, uri).unwrap().iter().take(2).map(|fragment| fragment.name().to_owned()).collect();
    Consolidation::new().fragments(names).run(&ctx, uri).unwrap();
    assert_eq!(count(&ctx, uri), 5);
    assert!(!Consolidation::new().preview(&ctx, uri).unwrap().is_empty());
    let mut reports = Vec::new();
    Consolidation::new()
        .on_progress(|progress| {
            reports.push(progress);
            ControlFlow::Continue(())
        })
        .run(&ctx, uri)
        .unwrap();
    assert!(reports.last().is_some_and(|last| last.done == last.total && last.total >= 300), "{reports:?}");
    assert_eq!(count(&ctx, uri), 1);
    let files = Vacuum::new().preview(&ctx, uri).unwrap();
    assert!(!files.is_empty());
    Vacuum::new().run(&ctx, uri).unwrap();
    assert!(Vacuum::new().preview(&ctx, uri).unwrap().is_empty());
    for mode in [ConsolidationMode::Commits, ConsolidationMode::FragmentMetadata, ConsolidationMode::ArrayMetadata] {
        Consolidation::new().mode(mode).run(&ctx, uri).unwrap();
        Vacuum::new().mode(mode).run(&ctx, uri).unwrap();
    }
    assert_eq!(Array::open(&ctx, uri).unwrap().read().all().unwrap().len(), 300);
    assert!(maintenance::orphans(&ctx, uri).unwrap().is_empty());
    assert_eq!(maintenance::sweep_orphans(&ctx, uri).unwrap(), 0);
}

#[test]
fn a_stopped_consolidation_changes_nothing() {
    let (ctx, uri) = (Context::new().unwrap(), "mem://a");
    sparse(&ctx, uri, 3);
    let stopped = Consolidation::new().on_progress(|_| ControlFlow::Break(())).run(&ctx, uri);
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(count(&ctx, uri), 3);
}

#[test]
fn a_policy_bounds_the_number_of_fragments() {
    let (ctx, uri) = (Context::new().unwrap(), "mem://a");
    sparse(&ctx, uri, 12);
    let config = Config::builder().set("sm.maintenance.max_fragments", 4).build().unwrap();
    let planned = Maintenance::new().config(&config).preview(&ctx, uri).unwrap();
    assert!(planned.iter().any(|step| step.kind == StepKind::Fragments), "{planned:?}");
    assert_eq!(count(&ctx, uri), 12);
    let mut seen = 0;
    let steps = Maintenance::new()
        .config(&config)
        .on_step(|_| {
            seen += 1;
            ControlFlow::Continue(())
        })
        .run(&ctx, uri)
        .unwrap();
    assert_eq!(steps.len(), seen);
    assert!(count(&ctx, uri) <= 4);
}

#[test]
fn damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("a");
    let uri = uri.to_str().unwrap();
    let ctx = Context::new().unwrap();
    sparse(&ctx, uri, 1);
    assert!(maintenance::verify(&ctx, uri).unwrap().is_ok());
    let fragment = Array::load_fragments(&ctx, uri).unwrap()[0].name().to_owned();
    let file = folder.path().join("a/__fragments").join(fragment).join("a0.tdb");
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let found = Verify::new().run(&ctx, uri).unwrap();
    assert!(!found.is_ok());
    assert!(found.findings.iter().any(|finding| finding.kind == FindingKind::Tile), "{:?}", found.findings);
}

#[test]
fn an_array_is_rewritten_as_advised() {
    let (ctx, uri) = (Context::new().unwrap(), "mem://a");
    sparse(&ctx, uri, 2);
    let advice = maintenance::advise(&ctx, uri, Objective::Smallest).unwrap();
    assert!(
        advice.parts.iter().any(|part| part.property == AdvisedProperty::Filters && part.field.as_deref() == Some("a"))
    );
    Rewrite::new().schema(&advice.schema).merge().run(&ctx, uri, "mem://b").unwrap();
    assert_eq!((count(&ctx, "mem://b"), Array::open(&ctx, "mem://b").unwrap().read().all().unwrap().len()), (1, 100));
    maintenance::downgrade(&ctx, uri, "mem://old", 18).unwrap();
    assert_eq!(Array::load_schema(&ctx, "mem://old").unwrap().format_version(), 18);
    assert_eq!(Array::open(&ctx, "mem://old").unwrap().read().all().unwrap().len(), 100);
    maintenance::upgrade(&ctx, "mem://old").unwrap();
    assert!(Array::load_schema(&ctx, "mem://old").unwrap().format_version() > 18);
    let plan = maintenance::consolidation_plan(&ctx, uri, 1 << 30).unwrap();
    assert_eq!(plan.iter().map(Vec::len).sum::<usize>(), 2);
}

#[test]
fn writes_maintain_the_array_if_so_configured() {
    let config = Config::builder()
        .set("sm.maintenance.after_write", true)
        .set("sm.maintenance.max_fragments", 3)
        .build()
        .unwrap();
    let (ctx, uri) = (Context::with_config(config).unwrap(), "mem://a");
    sparse(&ctx, uri, 9);
    assert!(count(&ctx, uri) <= 3, "{}", count(&ctx, uri));
    assert_eq!(Array::open(&ctx, uri).unwrap().read().all().unwrap().len(), 450);
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    for at in 0..4 {
        let mut write = writer.write_global().unwrap();
        write.write(Cells::new().values("id", &[2000 + at]).values("a", &[1_i64])).unwrap();
        write.finish().unwrap();
    }
    assert!(count(&ctx, uri) <= 3);
}
