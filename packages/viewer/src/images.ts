/** Images of several resolutions: groups with one dense array per level. */
import { axesOf } from './axes.js';
import type { Level } from './blocks.js';
import type { Client, OpenGroup } from './client.js';
import { TileDBError } from './engine/index.js';
import type { Member, Metadata } from './engine/index.js';
import { memberName, openArrayMember } from './members.js';

/** Levels that are opened. */
const MAX_LEVELS = 24;
const LEVEL_NAME = /^(l_|level_?|s)?\d+(\.tdb)?$/i;

/** The names of the levels if the metadata or the names of the members say that a group is an image. */
export function imageLevels(members: Member[], metadata: Metadata): string[] | undefined {
  const arrays = members.filter(({ kind }) => kind !== 'group').map(memberName);
  const listed = omeLevels(metadata)?.filter((name) => arrays.includes(name));
  if (listed !== undefined && listed.length > 0) return listed.slice(0, MAX_LEVELS);
  const isImage =
    metadata['dataset_type'] === 'BIOIMG' ||
    metadata['soma_object_type'] === 'SOMAMultiscaleImage' ||
    (arrays.length > 1 && arrays.length === members.length && arrays.every((name) => LEVEL_NAME.test(name)));
  if (!isImage || arrays.length === 0) return undefined;
  const levels = arrays.filter((name) => LEVEL_NAME.test(name));
  return (levels.length > 0 ? levels : arrays).slice(0, MAX_LEVELS);
}

/** The levels that `multiscales` lists, as in OME-Zarr: a list of images, each with the paths of its data sets. */
function omeLevels(metadata: Metadata): string[] | undefined {
  const text = metadata['multiscales'] ?? metadata['ome'];
  if (typeof text !== 'string') return undefined;
  try {
    const parsed: any = JSON.parse(text);
    const image = (Array.isArray(parsed) ? parsed : parsed?.multiscales)?.[0];
    const paths: unknown[] = (image?.datasets ?? []).map((dataset: any) => dataset?.path);
    return paths.filter((path): path is string => typeof path === 'string');
  } catch {
    return undefined;
  }
}

/** Opens the levels of an image, the finest first. */
export async function openLevels(client: Client, group: OpenGroup, members: Member[], names: string[], signal: AbortSignal): Promise<Level[]> {
  const levels = await Promise.all(names.map(async (name) => {
    const array = await openArrayMember(client, group, members, name, signal);
    if (!array.isDense) throw new TileDBError('Unsupported', `The level '${name}' of the image is a sparse array`);
    return { array, axes: await axesOf(array) };
  }));
  const cells = ({ axes }: Level) => axes.reduce((product, { length }) => product * length, 1);
  levels.sort((a, b) => cells(b) - cells(a));
  const dimensions = ({ axes }: Level) => axes.map(({ name }) => name).join('\n');
  return levels.filter((level) => dimensions(level) === dimensions(levels[0]!));
}
