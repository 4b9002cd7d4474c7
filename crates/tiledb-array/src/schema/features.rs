//! Features of a schema that not every writable format version can express, and the version that they require.

use std::collections::BTreeMap;

use super::ArraySchema;
use tiledb_core::budget::StructureBudget;
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{Datatype, FormatFeature, FormatVersion, OLDEST_WRITABLE_VERSION};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::Pipeline;
use tiledb_filters::tile::generic;

/// The first part of a schema that uses each feature, as text: `attribute 'a'`.
pub type FeatureUses = BTreeMap<FormatFeature, String>;

impl ArraySchema {
    /// The features that it uses, each with the first part that does.
    pub fn features(&self) -> FeatureUses {
        let mut uses = FeatureUses::new();
        let mut add = |feature: FormatFeature, part: &dyn Fn() -> String| {
            uses.entry(feature).or_insert_with(part);
        };
        let mut add_filters = |filters: &Pipeline, datatype: Datatype, part: &dyn Fn() -> String| {
            filters.features(datatype).into_iter().for_each(|feature| add(feature, part));
        };
        add_filters(&self.offsets_filters, Datatype::Uint64, &|| "the filters of offsets".to_owned());
        add_filters(&self.validity_filters, Datatype::Uint8, &|| "the filters of validity".to_owned());
        for dimension in self.domain.dimensions() {
            let filters = dimension.filters();
            let datatype = dimension.datatype();
            add_filters(&self.coords_filters, datatype, &|| "the filters of coordinates".to_owned());
            add_filters(filters, datatype, &|| format!("dimension '{}'", dimension.name()));
        }
        for attribute in &self.attributes {
            let filters = attribute.filters();
            let datatype = attribute.datatype();
            add_filters(filters, datatype, &|| format!("attribute '{}'", attribute.name()));
        }
        for label in &self.labels {
            if let Some(filters) = label.planned.as_ref().and_then(|planned| planned.filters.as_ref()) {
                add_filters(filters, label.datatype, &|| format!("dimension label '{}'", label.name));
            }
        }
        for attribute in &self.attributes {
            if let Some(feature) = FormatFeature::of_datatype(attribute.datatype()) {
                let text = || format!("attribute '{}' of type {}", attribute.name(), attribute.datatype().name());
                add(feature, &text);
            }
        }
        if let Some(label) = self.labels.first() {
            add(FormatFeature::DimensionLabels, &|| format!("dimension label '{}'", label.name));
        }
        if let Some(enumeration) = self.enumerations.first() {
            add(FormatFeature::Enumerations, &|| format!("enumeration '{}'", enumeration.name));
        }
        if !self.current_domain.is_empty() {
            add(FormatFeature::CurrentDomain, &|| "the schema".to_owned());
        }
        uses
    }

    /// The oldest writable version that can express the schema.
    pub fn required_version(&self) -> FormatVersion {
        let versions = self.features().into_keys().map(FormatFeature::since);
        versions.max().map_or(OLDEST_WRITABLE_VERSION, |version| version.max(OLDEST_WRITABLE_VERSION))
    }

    /// Checks that a version can express the schema.
    ///
    /// # Errors
    /// For the feature that requires the newest version.
    pub fn check_version(&self, version: FormatVersion) -> Result<()> {
        match self.features().into_iter().max_by_key(|(feature, _)| feature.since()) {
            Some((feature, part)) if feature.since() > version => check_feature(feature, &part, version),
            _ => Ok(()),
        }
    }

    /// Selects the version of a new array: `requested`, or its own one if that is writable, or a newer one that its features
    /// require.
    ///
    /// # Errors
    /// If the requested version cannot express the schema.
    pub fn select_version(&mut self, requested: Option<FormatVersion>) -> Result<()> {
        let version = match requested {
            Some(version) => {
                self.check_version(version)?;
                version
            }
            None => self.version.of_new_arrays().max(self.required_version()),
        };
        self.set_version(version);
        Ok(())
    }

    /// The stored form: a generic tile of the version of the schema.
    ///
    /// # Errors
    /// As those of [`ArraySchema::write`], and if a reader with this configuration would reject its size.
    pub fn store(&self, key: &EncryptionKey, config: &Config, stats: &Stats) -> Result<Vec<u8>> {
        let payload = self.write()?;
        let bytes = generic::store(&payload, self.version, key, stats, Counter::SchemaWritten)?;
        let check = StructureBudget::of(config)?.check_stored(self.decoded_memory(payload.len()), bytes.len());
        check.context(|| "Cannot write a schema that could not be read")?;
        Ok(bytes)
    }
}

/// Checks that a version can express a feature that `part` uses.
///
/// # Errors
/// If it cannot.
pub fn check_feature(feature: FormatFeature, part: &str, version: FormatVersion) -> Result<()> {
    let since = feature.since();
    if since > version {
        bail!(
            Unsupported,
            "Format version {} cannot express {}; {part} requires at least version {} (libtiledb {} and later): do without, or set \
             'sm.write_format_version' to {} or higher",
            version.number(),
            feature.name(),
            since.number(),
            feature.first_release(),
            since.number()
        );
    }
    Ok(())
}
