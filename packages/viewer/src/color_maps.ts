/** Colours of numbers. */

export type ColorMapName = 'viridis' | 'grey' | 'diverging';

export const COLOR_MAPS: readonly (readonly [ColorMapName, string])[] = [
  ['viridis', 'blue to yellow'],
  ['grey', 'grey'],
  ['diverging', 'diverging'],
];

/** Colours at equal distances, between which is interpolated. */
const STOPS: Record<ColorMapName, readonly number[]> = {
  viridis: [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725],
  grey: [0x000000, 0xffffff],
  diverging: [0x2166ac, 0x67a9cf, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xef8a62, 0xb2182b],
};

/** Colours of categories, which repeat. */
const CATEGORIES = [0x4477aa, 0xee6677, 0x228833, 0xccbb44, 0x66ccee, 0xaa3377, 0xee8866, 0x99ddff, 0x44bb99, 0xbbbbbb];

/** 256 colours as 32-bit pixels of `ImageData`: red in the lowest byte. */
export function colorTable(name: ColorMapName): Uint32Array {
  const stops = STOPS[name];
  return Uint32Array.from({ length: 256 }, (_, at) => {
    const place = (at / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    const part = place - below;
    const channel = (shift: number) => {
      const [low, high] = [(stops[below]! >> shift) & 255, (stops[below + 1]! >> shift) & 255];
      return Math.round(low + (high - low) * part);
    };
    return pixel((channel(16) << 16) | (channel(8) << 8) | channel(0));
  });
}

/** A colour `0xRRGGBB` as an opaque pixel. */
function pixel(color: number): number {
  return (0xff000000 | ((color & 255) << 16) | (color & 0xff00) | (color >> 16)) >>> 0;
}

export function categoryPixel(category: number): number {
  return pixel(CATEGORIES[category % CATEGORIES.length]!);
}

export function cssColor(pixel: number): string {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

export function isColorMap(name: string | undefined): name is ColorMapName {
  return name !== undefined && Object.hasOwn(STOPS, name);
}
