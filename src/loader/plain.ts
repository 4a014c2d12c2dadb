import { fieldNamed, type Kind } from '../kinds/kind.ts';
import { isObject, type JsonObject, own, pick, sameJson } from '../model/json.ts';
import { isFilledInLater, refOf } from '../model/marker.ts';
import type { Pointer } from '../model/pointer.ts';
import type { FoundNode } from './document.ts';
import type { Problems } from './problems.ts';
import { dropUnresolved, type Tree } from './tree.ts';

interface Checked extends Pick<Tree, 'tagged'> {
  readonly kind: Kind;
  readonly value: JsonObject;
  readonly problems: Problems;
  find(at: Pointer): FoundNode;
}

/**
 * Refuses secrets and lookups in what identifies an object: it must be known before the tenant is read. Where a value
 * besides the fields could not be read, it is not known what the manifest asks for. Returns whether there was no problem.
 */
export function checkPlain({ kind, value, tagged, find, problems }: Checked): boolean {
  if (!tagged) return true;
  const names = [...kind.keyFields.map(({ name }) => name), 'id', 'ensure'];
  const wrong = names.filter((name) => isObject(own(value, name)));
  for (const name of wrong) {
    const message = `\`${name}\` must be plain text, not \`!secret\`, \`!lookup\` or \`!ref\``;
    problems.add('not-plain', message, find(`/${name}`).place);
  }
  const besides = pick(value, [...names, 'lifecycle']);
  return wrong.length === 0 && sameJson(dropUnresolved(besides) ?? null, besides);
}

/**
 * Refuses secrets and lookups in the place of all of a JSON field: its members are compared, shown and written one by one,
 * so they must be known. Returns whether there was no problem.
 */
export function checkMembers({ kind, value, tagged, find, problems }: Checked): boolean {
  if (!tagged) return true;
  const isWhole = (name: string) => {
    const given = own(value, name);
    return fieldNamed(kind, name)?.is === 'json' && isFilledInLater(given) && refOf(given) === null;
  };
  const wrong = Object.keys(kind.fields).filter(isWhole);
  for (const name of wrong) {
    const message = `\`${name}\` is JSON, and cannot be one \`!secret\` or \`!lookup\` as a whole`;
    const hint = `Declare its members, and tag those that are secret or looked up: \`${name}: { password: !secret NAME }\`.`;
    problems.add('wrong-type', message, find(`/${name}`).place, { hint });
  }
  return wrong.length === 0;
}
