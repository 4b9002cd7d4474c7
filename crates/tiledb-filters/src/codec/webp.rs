//! WebP images, by libwebp.
#![expect(unsafe_code, reason = "libwebp is a C library")]

use std::ffi::{c_int, c_void};
use std::ptr;

use super::spare_capacity;
use tiledb_core::error::{Result, bail};

/// The most pixels of an image in either direction.
pub const MOST_PIXELS: usize = 16383;

/// The channels of a pixel, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pixels {
    Rgb,
    Bgr,
    Rgba,
    Bgra,
}

impl Pixels {
    /// Bytes of a pixel.
    pub fn size(self) -> usize {
        match self {
            Pixels::Rgb | Pixels::Bgr => 3,
            Pixels::Rgba | Pixels::Bgra => 4,
        }
    }
}

/// Memory layout of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    pixels: Pixels,
    rows: usize,
    row_size: usize,
}

impl Image {
    /// An image of rows of `row_size` bytes; bytes beyond the last whole pixel of a row are no part of it.
    ///
    /// # Errors
    /// If there is no pixel, or more than [`MOST_PIXELS`] in a direction.
    pub fn new(pixels: Pixels, rows: usize, row_size: usize) -> Result<Image> {
        let columns = row_size / pixels.size();
        let range = 1..=MOST_PIXELS;
        if !range.contains(&rows) || !range.contains(&columns) {
            bail!("WEBP cannot make an image of {columns} x {rows} pixels; the most are {MOST_PIXELS} x {MOST_PIXELS}");
        }
        Ok(Image { pixels, rows, row_size })
    }

    /// Bytes of the image.
    pub fn size(self) -> usize {
        self.rows * self.row_size
    }

    fn columns(self) -> usize {
        self.row_size / self.pixels.size()
    }
}

/// An allocation of libwebp.
struct WebpAllocation(*mut u8);

impl Drop for WebpAllocation {
    fn drop(&mut self) {
        // SAFETY: the pointer is null or came from libwebp, and is freed only here.
        unsafe { libwebp_sys::WebPFree(self.0.cast::<c_void>()) };
    }
}

/// Appends the image `src` as one file; of this quality, 0 to 100, or without loss.
///
/// # Errors
/// If `src` is not one image, or memory is short.
pub fn compress(image: Image, quality: Option<f32>, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    use libwebp_sys::*;
    if src.len() != image.size() {
        bail!("WEBP cannot take {} bytes as an image of {}", src.len(), image.size());
    }
    if !quality.is_none_or(|quality| (0.0..=100.0).contains(&quality)) {
        bail!("WEBP cannot make an image of quality {quality:?}");
    }
    let (width, height, stride) = (image.columns() as c_int, image.rows as c_int, image.row_size as c_int);
    let (from, mut encoded) = (src.as_ptr(), WebpAllocation(ptr::null_mut()));
    let to = &raw mut encoded.0;
    // SAFETY: `from` is readable for `height` rows of `stride` bytes, and a row holds `width` pixels.
    let len = unsafe {
        match (image.pixels, quality) {
            (Pixels::Rgb, None) => WebPEncodeLosslessRGB(from, width, height, stride, to),
            (Pixels::Bgr, None) => WebPEncodeLosslessBGR(from, width, height, stride, to),
            (Pixels::Rgba, None) => WebPEncodeLosslessRGBA(from, width, height, stride, to),
            (Pixels::Bgra, None) => WebPEncodeLosslessBGRA(from, width, height, stride, to),
            (Pixels::Rgb, Some(quality)) => WebPEncodeRGB(from, width, height, stride, quality, to),
            (Pixels::Bgr, Some(quality)) => WebPEncodeBGR(from, width, height, stride, quality, to),
            (Pixels::Rgba, Some(quality)) => WebPEncodeRGBA(from, width, height, stride, quality, to),
            (Pixels::Bgra, Some(quality)) => WebPEncodeBGRA(from, width, height, stride, quality, to),
        }
    };
    if len == 0 || encoded.0.is_null() {
        bail!(Internal, "[TileDB::Filter] Error: Error encoding image data");
    }
    let fill = |place: *mut u8, _| {
        // SAFETY: libwebp has written `len` bytes, as many are reserved, and the two do not overlap.
        unsafe { ptr::copy_nonoverlapping(encoded.0, place, len) };
        Ok(len)
    };
    // SAFETY: `len` bytes are written.
    unsafe { spare_capacity::append(out, len, fill) }
}

/// Decodes one file, which must hold an image like this, into `dst`, which has its size.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(image: Image, src: &[u8], dst: &mut [u8]) -> Result<()> {
    use libwebp_sys::*;
    let (mut width, mut height) = (0, 0);
    // SAFETY: `src` is readable for its length; the two numbers are ours.
    let known = unsafe { WebPGetInfo(src.as_ptr(), src.len(), &raw mut width, &raw mut height) };
    if known == 0 || dst.len() != image.size() {
        bail!(Corrupt, "{} bytes are no WebP image for {} bytes", src.len(), dst.len());
    }
    if (width, height) != (image.columns() as c_int, image.rows as c_int) {
        bail!(Corrupt, "A WebP image of {width} x {height} pixels instead of {} x {}", image.columns(), image.rows);
    }
    // Bytes after the last pixel of a row are not part of the image.
    if !image.row_size.is_multiple_of(image.pixels.size()) {
        dst.fill(0);
    }
    let (from, len, capacity, stride) = (src.as_ptr(), src.len(), dst.len(), image.row_size as c_int);
    let to = dst.as_mut_ptr();
    // SAFETY: `from` is readable for `len` bytes and `to` is writable for `capacity`; libwebp checks the image against
    // `capacity` and `stride`.
    let end = unsafe {
        match image.pixels {
            Pixels::Rgb => WebPDecodeRGBInto(from, len, to, capacity, stride),
            Pixels::Bgr => WebPDecodeBGRInto(from, len, to, capacity, stride),
            Pixels::Rgba => WebPDecodeRGBAInto(from, len, to, capacity, stride),
            Pixels::Bgra => WebPDecodeBGRAInto(from, len, to, capacity, stride),
        }
    };
    match end.is_null() {
        true => bail!(Corrupt, "A WebP image of {width} x {height} pixels cannot be decoded"),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_orders_of_colours_are_those_of_the_image() {
        let pixels = [200, 100, 50, 255, 10, 20, 30, 255];
        let rgba = Image::new(Pixels::Rgba, 1, 8).unwrap();
        let mut file = Vec::new();
        compress(rgba, None, &pixels, &mut file).unwrap();
        assert!(file.starts_with(b"RIFF"));
        let mut back = [0; 8];
        decompress(rgba, &file, &mut back).unwrap();
        assert_eq!(back, pixels);
        decompress(Image::new(Pixels::Bgra, 1, 8).unwrap(), &file, &mut back).unwrap();
        assert_eq!(back, [50, 100, 200, 255, 30, 20, 10, 255]);
        let mut rgb = [7; 7];
        decompress(Image::new(Pixels::Rgb, 1, 7).unwrap(), &file, &mut rgb).unwrap();
        assert_eq!(rgb, [200, 100, 50, 10, 20, 30, 0]);
        for (rows, row_size) in [(2, 8), (1, 12), (1, 4)] {
            let other = Image::new(Pixels::Rgba, rows, row_size).unwrap();
            assert!(decompress(other, &file, &mut vec![0; other.size()]).is_err());
        }
        for cut in 0..file.len() {
            let _ = decompress(rgba, &file[..cut], &mut back);
        }
    }

    #[test]
    fn what_is_no_image_is_an_error() {
        assert!(Image::new(Pixels::Rgb, 0, 3).is_err() && Image::new(Pixels::Rgb, 1, 2).is_err());
        assert!(Image::new(Pixels::Rgba, 16384, 4).is_err() && Image::new(Pixels::Bgr, 1, 16384 * 3).is_err());
        let image = Image::new(Pixels::Bgr, 2, 6).unwrap();
        assert!(compress(image, Some(f32::NAN), &[0; 12], &mut Vec::new()).is_err());
        assert!(compress(image, None, &[0; 11], &mut Vec::new()).is_err());
        assert!(decompress(image, &[0; 40], &mut [0; 12]).is_err());
    }
}
