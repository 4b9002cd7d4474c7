/** Members of groups: which are opened without being asked for, and which only by a click. */
import type { Client, OpenArray, OpenGroup } from './client.js';
import { TileDBError } from './engine/index.js';
import type { Member } from './engine/index.js';

export function memberName(member: Member): string {
  if (member.name !== null && member.name !== '') return member.name;
  return lastName(member.uri);
}

/** The last name of an address. */
export function lastName(uri: string): string {
  const name = uri.replace(/[?#].*$/, '').replace(/\/+$/, '').split('/').at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether a member is on the server of its group: a group may name any address, such as those of a private network. */
export function isSameOrigin(group: OpenGroup, member: Member): boolean {
  try {
    return new URL(group.uri).origin === new URL(member.uri).origin;
  } catch {
    return false;
  }
}

/** Opens a member that a view needs. */
export async function openMember(client: Client, group: OpenGroup, members: Member[], name: string, signal: AbortSignal): Promise<OpenArray | OpenGroup> {
  const member = members.find((member) => memberName(member) === name);
  if (member === undefined) throw new TileDBError('NotFound', `The group has no member '${name}'`);
  if (!isSameOrigin(group, member)) {
    throw new TileDBError('Unsupported', `The member '${name}' is on another server, ${member.uri}; open it in the tree`);
  }
  return client.open(member.uri, signal);
}

export async function openArrayMember(client: Client, group: OpenGroup, members: Member[], name: string, signal: AbortSignal): Promise<OpenArray> {
  const opened = await openMember(client, group, members, name, signal);
  if (opened.kind === 'array') return opened;
  throw new TileDBError('Unsupported', `The member '${name}' is a group, not an array`);
}

export async function openGroupMember(client: Client, group: OpenGroup, members: Member[], name: string, signal: AbortSignal): Promise<OpenGroup> {
  const opened = await openMember(client, group, members, name, signal);
  if (opened.kind === 'group') return opened;
  throw new TileDBError('Unsupported', `The member '${name}' is an array, not a group`);
}
