import { isScalar } from 'yaml';
import { unknownKind } from '../kinds/address-glob.ts';
import type { Kinds } from '../kinds/catalog.ts';
import { type Field, fieldNamed, type Kind } from '../kinds/kind.ts';
import { idsIn, targetOf } from '../kinds/references.ts';
import { type Address, parseAddress } from '../model/address.ts';
import { isObject, type JsonObject, own, pick, sameJson } from '../model/json.ts';
import { isFilledInLater, refOf } from '../model/marker.ts';
import { type Pointer, placesOf, pointer, valueAt } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';
import type { FoundNode } from './document.ts';
import type { Problem, Problems } from './problems.ts';
import { dropUnresolved, type Tree } from './tree.ts';

/** What a document says, with overlays applied. */
export interface Checked extends Tree {
  readonly kind: Kind;
  readonly kinds: Kinds;
  readonly value: JsonObject;
  readonly problems: Problems;
  /** The position of a value. */
  find(at: Pointer): FoundNode;
}

/**
 * Reports secrets, lookups and references where a manifest cannot have them, as far as that can be known without a tenant.
 * Returns whether there was no problem.
 */
export function checkMarkers(checked: Checked): boolean {
  if (!checked.tagged) return true;
  return [checkIdentity, checkMembers, checkReferences].map((check) => check(checked)).every(Boolean);
}

/**
 * Refuses secrets and lookups in what identifies an object: it must be known before the tenant is read. Where a value
 * apart from the fields could not be read, it is not known what the manifest asks for.
 */
function checkIdentity({ kind, value, find, problems }: Checked): boolean {
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
 * so they must be known.
 */
function checkMembers({ kind, value, find, problems }: Checked): boolean {
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

/** Refuses references to other kinds, with keys of another form, and in fields that do not take them. */
function checkReferences({ kind, kinds, value: manifest, problems, find }: Checked): boolean {
  const wrong = Object.entries(manifest).flatMap(([name, value]) => {
    const field = fieldNamed(kind, name);
    const target = field ? targetOf(field) : null;
    const taken = new Set(field ? idsIn(field, value).map(({ at }) => at) : []);
    return placesOf(value, (part) => refOf(part) !== null).flatMap((at) => {
      const to = refOf(valueAt(value, at)) ?? '';
      const isTaken = target !== null && taken.has(at);
      const problem = isTaken ? wrongTarget(to, { name, target }, kinds) : takesNone(name, kind, target);
      return problem ? [{ ...problem, at: pointer(name) + at }] : [];
    });
  });
  for (const problem of wrong) problems.report(problem, find(problem.at).place);
  return wrong.length === 0;
}

/**
 * Refuses numbers as ids that are written in another way than they are sent: `0123` would refer to another object.
 *
 * @param refused the places of values that are reported already
 */
export function checkIds({ kind, value, find, problems }: Checked, refused: ReadonlySet<Pointer>): void {
  const numbers = Object.entries(value).flatMap(([name, item]) => {
    const field = fieldNamed(kind, name);
    if (!field || !takesIds(field)) return [];
    return placesOf(item, (part) => typeof part === 'number').map((at) => pointer(name) + at);
  });
  for (const at of numbers.filter((each) => !refused.has(each))) {
    const { node, place } = find(at);
    if (!isScalar(node) || node.source === String(node.value)) continue;
    const message = `The id \`${node.source}\` is read as the number ${node.value}`;
    const hint = `If it is text, put it in quotes: "${node.source}". If not, write ${node.value}.`;
    problems.add('inexact-number', message, place, { hint });
  }
}

const takesIds = (field: Field) =>
  field.is === 'reference' || field.is === 'references' || targetOf(field) !== null;

function takesNone(name: string, { fields }: Kind, target: string | null): Problem {
  if (target !== null) {
    const message = `\`!ref\` cannot stand here in \`${name}\``;
    return { code: 'ref-not-taken', message, hint: `Write it in the place of an id of the kind ${target}.` };
  }
  const others = Object.entries(fields).flatMap(([other, field]) =>
    targetOf(field) === null ? [] : [other],
  );
  const hint =
    others.length > 0
      ? `The fields that take a \`!ref\` are: ${others.join(', ')}.`
      : 'No field of this kind takes a `!ref`.';
  return { code: 'ref-not-taken', message: `\`${name}\` takes no \`!ref\``, hint };
}

function wrongTarget(
  to: Address,
  { name, target }: { readonly name: string; readonly target: string },
  kinds: Kinds,
): Problem | null {
  const { kind: wanted, key } = parseAddress(to) ?? { kind: '', key: [] };
  const found = kinds.find(wanted);
  if (wanted !== target && kinds.find(target)) {
    const message = `\`${name}\` refers to the kind ${target}, not to ${wanted.slice(0, 80)}`;
    return { code: 'ref-kind', message, hint: didYouMean(wanted, [target]) ?? `Write \`!ref ${target}/…\`.` };
  }
  if (!found) return unknownKind(wanted.slice(0, 80), kinds);
  if (wanted !== target) {
    return { code: 'ref-kind', message: `\`${name}\` refers to the kind ${target}, not to ${wanted}` };
  }
  if (key.length === found.keyFields.length) return null;
  const parts = found.keyFields.map((part) => part.name.toUpperCase()).join('/');
  const count = found.keyFields.length;
  return {
    code: 'invalid-ref',
    message: `A key of the kind ${wanted} has ${count} ${count === 1 ? 'part' : 'parts'}, and this has ${key.length}`,
    hint: `Write \`!ref ${wanted}/${parts}\`. Inside a part write \`%2F\` for a slash.`,
  };
}
