//! Which libtiledb releases can read an array, and why: by the format versions of its files and the features it uses.

use std::cmp::Reverse;

use super::directory::ArrayDirectory;
use super::{SchemaStore, deletes};
use crate::condition::ComparisonOperator;
use crate::schema::{ArraySchema, FeatureUses};
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::types::{FormatFeature, FormatVersion, OLDEST_WRITABLE_VERSION, release_order};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The readers of an array.
pub struct Compatibility {
    /// The newest version of its files, those of dimension labels included.
    pub version: FormatVersion,
    /// The features that it uses, each with the first part that does.
    pub features: FeatureUses,
    /// How many schemas and fragments have the newest version.
    schemas: usize,
    fragments: usize,
}

impl Compatibility {
    /// Examines schemas, fragments and deletes of the array at `uri`.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn of_array(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Compatibility> {
        Compatibility::examine(resources, uri, key, true)
    }

    /// As [`Compatibility::of_array`]; the arrays of labels have no labels themselves.
    fn examine(resources: &Resources, uri: &Uri, key: &EncryptionKey, with_labels: bool) -> Result<Compatibility> {
        let directory = ArrayDirectory::load(resources.vfs(), uri)?;
        let schemas = SchemaStore::new(resources, &directory, key);
        let mut compatibility =
            Compatibility { version: OLDEST, features: FeatureUses::new(), schemas: 0, fragments: 0 };
        for name in directory.schemas() {
            let schema = schemas.get(name)?;
            compatibility.add_files(schema.version(), 1, 0);
            compatibility.add_features(schema.features());
            if with_labels {
                compatibility.add_labels(resources, uri, &schema, key)?;
            }
        }
        directory.fragments().iter().for_each(|name| compatibility.add_files(name.version(), 0, 1));
        let commits: Vec<_> = directory.deletes().iter().collect();
        for condition in deletes::read(resources, key, &commits)? {
            let of_set = |operator| matches!(operator, ComparisonOperator::In | ComparisonOperator::NotIn);
            if let Some(leaf) = condition.predicate.leaves().find(|leaf| of_set(leaf.operator)) {
                let part = || format!("a delete condition on '{}'", leaf.field());
                compatibility.features.entry(FormatFeature::DeleteBySet).or_insert_with(part);
            }
        }
        Ok(compatibility)
    }

    fn add_files(&mut self, version: FormatVersion, schemas: usize, fragments: usize) {
        if version > self.version {
            (self.version, self.schemas, self.fragments) = (version, 0, 0);
        }
        if version == self.version {
            self.schemas += schemas;
            self.fragments += fragments;
        }
    }

    fn add_features(&mut self, features: FeatureUses) {
        features.into_iter().for_each(|(feature, part)| _ = self.features.entry(feature).or_insert(part));
    }

    /// Adds the arrays of dimension labels that belong to the array.
    fn add_labels(
        &mut self,
        resources: &Resources,
        uri: &Uri,
        schema: &ArraySchema,
        key: &EncryptionKey,
    ) -> Result<()> {
        for label in schema.labels().iter().filter(|label| !label.is_external) {
            let of_label = || format!("Cannot examine the dimension label '{}'", label.name);
            let array = label.array_uri(uri).context(of_label)?;
            let own = Compatibility::examine(resources, &array, key, false).context(of_label)?;
            self.add_files(own.version, own.schemas, own.fragments);
            self.add_features(own.features);
        }
        Ok(())
    }

    /// The oldest writable version that can express the array. Deletes do not count: a copy in another version applies them.
    pub fn required_version(&self) -> FormatVersion {
        let stored = self.features.keys().filter(|feature| **feature != FormatFeature::DeleteBySet);
        stored.map(|feature| feature.since()).max().unwrap_or(OLDEST).max(OLDEST_WRITABLE_VERSION)
    }

    /// The first libtiledb release, `major.minor`, that reads the array.
    pub fn first_release(&self) -> &'static str {
        let releases = self.features.keys().map(|feature| feature.first_release());
        releases.chain([self.version.first_release()]).max_by_key(|release| release_order(release)).unwrap_or_default()
    }

    /// The releases that read the array in the first line, then a line for each reason.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("libtiledb {} and later", self.first_release())];
        let counted = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            count => Some(format!("{count} {what}s")),
        };
        let files = [counted(self.schemas, "schema"), counted(self.fragments, "fragment")];
        let files = files.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let version = self.version.number();
        let release = self.version.first_release();
        lines.push(format!("format version {version} (libtiledb {release}): {files}"));
        let mut features: Vec<_> = self.features.iter().collect();
        features.sort_by_key(|(feature, _)| Reverse(feature.since()));
        for (feature, part) in features {
            let since = feature.since().number();
            let release = feature.first_release();
            lines.push(format!("{}, since version {since} (libtiledb {release}): {part}", feature.name()));
        }
        let required = self.required_version();
        if required < self.version {
            let number = required.number();
            let release = required.first_release();
            lines.push(format!(
                "no feature requires more than version {number} (libtiledb {release}): \"tiledb-rs downgrade\" writes a copy in it"
            ));
        }
        lines.join("\n")
    }
}

/// The version before any file was examined.
const OLDEST: FormatVersion = FormatVersion::OLDEST;
