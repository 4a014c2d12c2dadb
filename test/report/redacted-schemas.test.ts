import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { get, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { redactDocument } from '../../src/report/redacted.ts';

const secret = 's3cr3t';
/** Parts that hold words of this program, or names of kinds: a new one has to be named here to be left alone. */
const ours = new Set(['code', 'kind', 'kinds', 'tool']);

function schemaOf(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8'));
}

interface Place {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

function resolve({ schema, root }: Place): Place {
  const ref = get(schema, '$ref');
  if (typeof ref !== 'string') return { schema, root };
  const [file = '', path = ''] = ref.split('#');
  const from = file === '' ? root : schemaOf(file.split('/').at(-1) ?? '');
  const target = path
    .split('/')
    .filter(Boolean)
    .reduce<Json>((at, name) => (isObject(at) ? (get(at, name) ?? null) : null), from);
  return resolve({ schema: objectOf(target), root: from });
}

const objectOf = (value: Json | undefined): JsonObject =>
  value !== undefined && isObject(value) ? value : {};

/**
 * A value with the secret wherever the schema lets it stand: in every text, and as a name where names are free.
 *
 * @param at which of several alternatives is taken
 */
function filled(place: Place, at: number): Json {
  const { schema, root } = resolve(place);
  const of = (child: Json | undefined) => filled({ schema: objectOf(child), root }, at);
  const alternatives = get(schema, 'oneOf') ?? get(schema, 'anyOf');
  if (isArray(alternatives)) return of(alternatives[at % alternatives.length]);
  const constant = get(schema, 'const');
  if (constant !== undefined) return constant;
  const words = get(schema, 'enum');
  if (isArray(words)) return words[0] ?? null;
  const types = [get(schema, 'type') ?? 'any'].flat();
  if (types.includes('object')) {
    const members = Object.entries(objectOf(get(schema, 'properties'))).filter(([name]) => !ours.has(name));
    const free = get(schema, 'additionalProperties');
    const more = free === false ? [] : [[secret, free === true || free === undefined ? secret : of(free)]];
    return Object.fromEntries([...members.map(([name, child]) => [name, of(child)]), ...more]);
  }
  if (types.includes('array')) return [of(get(schema, 'items'))];
  if (types.includes('string')) return textFor(get(schema, 'pattern'));
  return types.includes('any') ? { [secret]: [secret] } : 1;
}

/** A text with the secret that the pattern takes; without one where it takes none, as a digest. */
function textFor(pattern: Json | undefined): string {
  const texts = [secret, `Kind/${secret}`, `/${secret}`];
  if (typeof pattern !== 'string') return secret;
  return texts.find((text) => new RegExp(pattern, 'u').test(text)) ?? '';
}

it.each([
  ['plan', 0],
  ['plan', 1],
  ['result', 0],
  ['fleet', 1],
  ['diff', 0],
  ['diff', 1],
])('leaves no part of the schema of a %s as it is: alternative %i', (name, at) => {
  const root = schemaOf(`${name}.schema.json`);
  const document = filled({ schema: root, root }, at);
  expect(JSON.stringify(document).split(secret).length).toBeGreaterThan(10);
  const clean = redactDocument(document, (text) => text.replaceAll(secret, '-'));
  expect(JSON.stringify(clean, null, 1)).not.toContain(secret);
});
