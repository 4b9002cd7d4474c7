//! Serialization of filters and filter lists.

use super::format::{in_field, required};
use crate::encoding::{Builder, View};
use crate::messages::{self, FilterPipeline, FloatScaleConfig, WebpConfig};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Datatype;
use tiledb_filters::filter::{Filter, FilterType, Pipeline, WebpFormat};

/// Puts filters into a message.
pub(super) fn fill(out: &mut Builder<'_, FilterPipeline>, filters: &Pipeline) -> Result<()> {
    if filters.is_empty() {
        return Ok(());
    }
    let mut list = out.list(FilterPipeline::FILTERS, filters.filters().len())?;
    for (index, filter) in filters.filters().iter().enumerate() {
        fill_filter(&mut list.get(index)?, filter)?;
    }
    Ok(())
}

fn fill_filter(out: &mut Builder<'_, messages::Filter>, filter: &Filter) -> Result<()> {
    out.set_text(messages::Filter::TYPE, filter.kind().name())?;
    match *filter {
        Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => {
            out.set(messages::Filter::UINT32, max_window);
        }
        Filter::Gzip { level }
        | Filter::Zstd { level }
        | Filter::Lz4 { level }
        | Filter::Rle { level }
        | Filter::Bzip2 { level }
        | Filter::Dictionary { level } => out.set(messages::Filter::INT32, level),
        // The level of these two has no effect and no place in messages.
        Filter::Delta { reinterpret, .. } | Filter::DoubleDelta { reinterpret, .. } => {
            out.set(messages::Filter::UINT8, reinterpret.number());
        }
        Filter::ScaleFloat { factor, offset, byte_width } => {
            let mut config = out.child(messages::Filter::FLOAT_SCALE_CONFIG)?;
            config.set(FloatScaleConfig::SCALE, factor);
            config.set(FloatScaleConfig::OFFSET, offset);
            config.set(FloatScaleConfig::BYTE_WIDTH, byte_width);
        }
        Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
            let mut config = out.child(messages::Filter::WEBP_CONFIG)?;
            config.set(WebpConfig::QUALITY, quality);
            config.set(WebpConfig::FORMAT, format as u8);
            config.set(WebpConfig::LOSSLESS, lossless);
            config.set(WebpConfig::EXTENT_X, x_extent);
            config.set(WebpConfig::EXTENT_Y, y_extent);
        }
        Filter::None
        | Filter::BitShuffle
        | Filter::ByteShuffle
        | Filter::Aes256Gcm
        | Filter::ChecksumMd5
        | Filter::ChecksumSha256
        | Filter::Xor => {}
    }
    Ok(())
}

/// The filters of a message; none where it says none.
pub(super) fn of(view: Option<View<'_, FilterPipeline>>) -> Result<Pipeline> {
    let mut filters = Vec::new();
    if let Some(view) = view {
        for filter in view.items(FilterPipeline::FILTERS)?.iter() {
            memory::push("filters", &mut filters, filter_of(filter)?)?;
        }
    }
    Ok(Pipeline::new(filters))
}

fn filter_of(view: View<'_, messages::Filter>) -> Result<Filter> {
    let name = required("Filter.type", view.text(messages::Filter::TYPE)?)?;
    let mut filter = Filter::new(FilterType::from_name(name).map_err(in_field("Filter.type"))?);
    match &mut filter {
        Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => {
            *max_window = view.get(messages::Filter::UINT32);
        }
        Filter::Gzip { level }
        | Filter::Zstd { level }
        | Filter::Lz4 { level }
        | Filter::Rle { level }
        | Filter::Bzip2 { level }
        | Filter::Dictionary { level } => *level = view.get(messages::Filter::INT32),
        Filter::Delta { reinterpret, .. } | Filter::DoubleDelta { reinterpret, .. } => {
            let number = u32::from(view.get(messages::Filter::UINT8));
            *reinterpret = Datatype::from_number(number).map_err(in_field("Filter.data"))?;
        }
        Filter::ScaleFloat { factor, offset, byte_width } => {
            let Some(config) = view.child(messages::Filter::FLOAT_SCALE_CONFIG)? else { return Ok(filter) };
            *factor = config.get(FloatScaleConfig::SCALE);
            *offset = config.get(FloatScaleConfig::OFFSET);
            *byte_width = config.get(FloatScaleConfig::BYTE_WIDTH);
            if Datatype::signed_of(*byte_width as usize).is_none() {
                bail!(Corrupt, "FloatScaleConfig.byteWidth: there are no integers of {byte_width} bytes");
            }
        }
        Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
            let Some(config) = view.child(messages::Filter::WEBP_CONFIG)? else { return Ok(filter) };
            *quality = config.get(WebpConfig::QUALITY);
            *format = WebpFormat::from_number(config.get(WebpConfig::FORMAT)).map_err(in_field("WebpConfig.format"))?;
            *lossless = config.get(WebpConfig::LOSSLESS);
            *x_extent = config.get(WebpConfig::EXTENT_X);
            *y_extent = config.get(WebpConfig::EXTENT_Y);
        }
        _ => {}
    }
    Ok(filter)
}
