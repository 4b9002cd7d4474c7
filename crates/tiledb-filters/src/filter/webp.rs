//! WEBP: tiles as images, lossy or lossless; for two-dimensional dense arrays of pixels, stored as bytes in rows such as
//! `RGBRGB...`.
//!
//! Options: the pixel format, the quality from 0 to 100, and whether compression is lossless. A tile is
//! one chunk and one image, whose height and width are the tile extents. It must be the first filter.
//!
//! Metadata: `parts u32`, then each part's length on disk u32, then the metadata of earlier filters. Data: a WebP
//! file per part.

use super::shared::{finish, put, take_mut};
use super::stage::{FilterStage, StageInput, StageOutput};
use super::{Filter, WebpFormat};
use crate::codec::webp::{self, Image, MOST_PIXELS, Pixels};
use tiledb_core::error::{Result, bail};
use tiledb_core::wire::WireReader;

struct Webp {
    image: Image,
    /// `None` for lossless compression.
    quality: Option<f32>,
}

/// The filter with these options.
///
/// # Errors
/// If the pixel format is not set, or the extents are not those of an image.
pub(super) fn stage(
    format: WebpFormat,
    quality: f32,
    lossless: bool,
    (y_extent, x_extent): (u16, u16),
) -> Result<Box<dyn FilterStage>> {
    let pixels = match format {
        WebpFormat::None => bail!("[TileDB::Filter] Error: Filter option TILEDB_FILTER_WEBP_FORMAT must be set"),
        WebpFormat::Rgb => Pixels::Rgb,
        WebpFormat::Bgr => Pixels::Bgr,
        WebpFormat::Rgba => Pixels::Rgba,
        WebpFormat::Bgra => Pixels::Bgra,
    };
    let image = Image::new(pixels, usize::from(y_extent), usize::from(x_extent))?;
    Ok(Box::new(Webp { image, quality: (!lossless).then_some(quality) }))
}

impl Filter {
    /// The filter as an array of tiles of `y` rows of `x` bytes needs it: WEBP with these extents, others
    /// as they are.
    ///
    /// # Errors
    /// If such a tile is no image that WEBP can make.
    pub fn for_tiles_of(self, y: u64, x: u64) -> Result<Filter> {
        let Filter::Webp { quality, format, lossless, .. } = self else { return Ok(self) };
        let (pixel, what) = match format {
            WebpFormat::Rgba | WebpFormat::Bgra => (4, "with alpha"),
            _ => (3, "with no alpha"),
        };
        if !x.is_multiple_of(pixel) {
            bail!("[TileDB::Filter] Error: Colorspace {what} must use extents divisible by {pixel}");
        }
        match (u16::try_from(y), u16::try_from(x)) {
            (Ok(y_extent), Ok(x_extent)) if y.max(x / pixel) <= MOST_PIXELS as u64 => {
                Ok(Filter::Webp { quality, format, lossless, y_extent, x_extent })
            }
            _ => bail!("[TileDB::Filter] Error: Tile extents too large; Max size WebP image is 16383x16383 pixels"),
        }
    }
}

impl FilterStage for Webp {
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        if !input.parts.is_empty() {
            bail!("[TileDB::Filter] Error: Error encoding image data; WEBP must be the first filter of its list");
        }
        webp::compress(self.image, self.quality, input.data, &mut output.data)?;
        put(&mut output.meta, 1)?;
        put(&mut output.meta, output.data.len())?;
        output.append_earlier_metadata(&input);
        Ok(())
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        let parts = WireReader::new("metadata of images", input.meta).count32(4)?;
        Ok(parts.saturating_mul(self.image.size()))
    }

    fn reverse(&self, input: StageInput<'_>, _: usize, meta: &mut Vec<u8>, mut dst: &mut [u8]) -> Result<()> {
        let mut r = WireReader::new("metadata of images", input.meta);
        let mut data = WireReader::new("images", input.data);
        for _ in 0..r.count32(4)? {
            let file = data.bytes(r.u32()? as usize)?;
            webp::decompress(self.image, file, take_mut(&mut dst, self.image.size())?)?;
        }
        if !data.is_empty() {
            return Err(data.corrupt(format_args!("{} bytes belong to no part", data.remaining())));
        }
        meta.extend_from_slice(r.bytes(r.remaining())?);
        finish(dst)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::FilterType;
    use crate::filter::testing::{decode, encode, refuses_other_numbers};

    fn of(format: WebpFormat, y: u16, x: u16) -> Box<dyn FilterStage> {
        stage(format, 100.0, true, (y, x)).unwrap()
    }

    #[test]
    fn each_part_is_an_image() {
        let stage = of(WebpFormat::Rgb, 2, 6);
        let (first, second) = ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [200; 12]);
        let files = [encode(&*stage, &first).data, encode(&*stage, &second).data];
        let lengths = files.iter().flat_map(|file| (file.len() as u32).to_le_bytes());
        let meta: Vec<u8> = [2, 0, 0, 0].into_iter().chain(lengths).chain(*b"before").collect();
        let (before, back) = decode(&*stage, &meta, &files.concat(), 24).unwrap();
        assert!(before == b"before" && back == [first, second].concat());
        refuses_other_numbers(&*stage, &meta, &files.concat(), 24, &[0, 4, 8]);
    }

    #[test]
    fn images_have_the_extents_of_tiles() {
        let error = |format, y, x| {
            let Filter::Webp { quality, lossless, y_extent, x_extent, .. } = Filter::new(FilterType::Webp) else {
                unreachable!()
            };
            let filter = Filter::Webp { quality, format, lossless, y_extent, x_extent };
            filter.for_tiles_of(y, x).map_err(|error| error.text().to_owned()).err()
        };
        let area = "[TileDB::Filter] Error: ";
        let divisible = format!("{area}Colorspace with no alpha must use extents divisible by 3");
        assert_eq!(error(WebpFormat::Bgr, 17000, 16), Some(divisible));
        let divisible = format!("{area}Colorspace with alpha must use extents divisible by 4");
        assert_eq!(error(WebpFormat::Rgba, 5, 15), Some(divisible));
        let large = format!("{area}Tile extents too large; Max size WebP image is 16383x16383 pixels");
        assert_eq!(error(WebpFormat::None, 16384, 15), Some(large.clone()));
        assert_eq!(error(WebpFormat::Rgb, 10, 65538), Some(large));
        assert_eq!(error(WebpFormat::Bgra, 16383, 65532), None);
    }

    proptest! {
        #[test]
        fn images_come_back(pixels in prop::collection::vec(any::<[u8; 3]>(), 1..400), rows in 1u16..20, quality in 0f32..100.0) {
            let columns = (pixels.len() as u16 / rows).max(1);
            let pixels: Vec<[u8; 3]> = pixels.iter().cycle().take(usize::from(rows * columns)).copied().collect();
            let opaque: Vec<u8> = pixels.iter().flat_map(|p| [p[0], p[1], p[2], 255]).collect();
            let plain = pixels.as_flattened();
            use WebpFormat::{Bgr, Bgra, Rgb, Rgba};
            for (format, data, size) in [(Rgb, plain, 3), (Bgr, plain, 3), (Rgba, &opaque[..], 4), (Bgra, &opaque[..], 4)] {
                let chunk = encode(&*of(format, rows, columns * size), data);
                let (meta, back) = decode(&*of(format, rows, columns * size), &chunk.meta, &chunk.data, data.len()).unwrap();
                prop_assert!(meta.is_empty() && back == data);
                let lossy = stage(format, quality, false, (rows, columns * size)).unwrap();
                let chunk = encode(&*lossy, data);
                prop_assert!(decode(&*lossy, &chunk.meta, &chunk.data, data.len()).is_ok());
                prop_assert!(lossy.forward(chunk.as_input(), &mut StageOutput::default()).is_err());
            }
        }
    }
}
