// Groups of one image at several resolutions.
import { TileDBError } from './errors.js';
import type { Group, OpenOptions, TileDBArray } from './index.js';
import type { Metadata } from './schema.js';

/** One resolution of a pyramid. */
export interface Level {
  /** The name of the member. */
  name: string;
  /** By dimension: how many cells of the finest level a cell stands for. */
  scale: number[];
}

/** The levels that OME-Zarr's metadata `multiscales` names, as JSON in the metadata of the group. */
function levelsOfMetadata(metadata: Metadata): Level[] | undefined {
  const { multiscales: text } = metadata;
  if (typeof text !== 'string') return undefined;
  let datasets: { path: string; scale: number[] }[];
  try {
    const [first] = JSON.parse(text);
    datasets = first.datasets.map(({ path, coordinateTransformations }: any) => {
      const { scale } = coordinateTransformations.find(({ type }: any) => type === 'scale');
      if (typeof path !== 'string' || !scale.every((factor: unknown) => Number.isFinite(factor) && (factor as number) > 0)) throw new Error('a scale is no number');
      return { path, scale };
    });
  } catch (error) {
    throw new TileDBError('Corrupt', `The metadata 'multiscales' is not that of OME-Zarr: ${String(error)}`, { cause: error });
  }
  return datasets.map(({ path, scale }) => ({ name: path, scale: scale.map((factor, at) => factor / datasets[0]!.scale[at]!) }));
}

/** The numbered arrays of a group: `0`, `l_1.tdb`, `image_2`. */
function numbered(names: string[]): string[] {
  const numbers = names.flatMap((name) => {
    const match = /^(.*_)?(\d+)(?:\.\w+)?$/.exec(name);
    return match === null ? [] : [{ name, prefix: match[1] ?? '', number: Number(match[2]) }];
  });
  const levels = numbers.filter(({ prefix }) => prefix === numbers[0]!.prefix);
  return levels.sort((a, b) => a.number - b.number).map(({ name }) => name);
}

function shapeOf(array: TileDBArray): number[] {
  return array.schema.dimensions.map(({ domain }) => Number(domain?.[1]) - Number(domain?.[0]) + 1);
}

/** An image at several resolutions, which a group contains. */
export class Pyramid {
  /** From the finest one on. */
  readonly levels: readonly Level[];
  readonly #group: Group;

  /** @internal */
  constructor(group: Group, levels: Level[]) {
    this.#group = group;
    this.levels = levels;
  }

  /** @internal */
  static async of(group: Group, options: { signal?: AbortSignal }): Promise<Pyramid> {
    const described = levelsOfMetadata(await group.metadata(options));
    if (described !== undefined && described.length > 0) return new Pyramid(group, described);
    const members = await group.members(options);
    const names = numbered(members.flatMap(({ name, kind }) => (name !== null && kind === 'array' ? [name] : [])));
    if (names.length === 0) {
      throw new TileDBError('NotFound', `'${group.uri}' is no pyramid: it has neither the metadata 'multiscales' nor arrays whose names end in the number of their level`);
    }
    const shapes = await Promise.all(names.map(async (name) => {
      const array = (await group.open(name, options)) as TileDBArray;
      await array.close();
      return shapeOf(array);
    }));
    const levels = names.map((name, at) => ({ name, scale: shapes[at]!.map((size, dimension) => shapes[0]![dimension]! / size) }));
    return new Pyramid(group, levels);
  }

  /** The coarsest level whose cells stand for at most so many cells of the finest one in each dimension, else the finest. */
  levelFor(cells: number): Level {
    const fitting = this.levels.filter(({ scale }) => Math.max(...scale) <= cells + 1e-9);
    return fitting.reduce((best, level) => (Math.max(...level.scale) > Math.max(...best.scale) ? level : best), this.levels[0]!);
  }

  /** Opens a level. */
  async open(level: Level | number, options: OpenOptions = {}): Promise<TileDBArray> {
    const chosen = typeof level === 'number' ? this.levels[level] : level;
    if (chosen === undefined) throw new TileDBError('NotFound', `There is no level ${String(level)}; there are ${this.levels.length}`);
    const array = await this.#group.open(chosen.name, options);
    if (array.kind === 'array') return array;
    throw new TileDBError('InvalidArgument', `Level '${chosen.name}' is a group`);
  }
}
