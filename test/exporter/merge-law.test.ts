import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExportedFile } from '../../src/exporter/files.ts';
import { type Merge, mergeExport } from '../../src/exporter/merge.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { isWithin, pointer } from '../../src/model/pointer.ts';
import { runs } from '../support/effort.ts';
import { usualInput } from './merging.ts';
import { type Dice, type Line, printStyled } from './styled.ts';
import { integration, load, planFor, search, template } from './support.ts';

const variables = new Map([
  ['va-prod', '!var cluster'],
  ['hello', '!format "%{greeting}"'],
  ['src-1', '!var source'],
]);
const projectFile = `version: 1
manifests: ["**/*.yaml"]
environments:
  test: { sandbox: {}, variables: { cluster: va-prod, greeting: hello, source: src-1 } }
`;
const texts = [
  ...['hello', 'va-prod', 'a: b', 'one', 'two words', "it's", '12', 'true', '', ' x ', '# no', 'x, y'],
  ...['l1\nl2\n', 'a\n b\n\nc', 'crlf\r\nend', '\u2028'],
];
const names = ['url', 'user', 'a b', 'x-1', 'null', 'deep', 'list', 'é'];

/** A manifest of one of three kinds, and the tenant's answer that equals it. */
interface Subject {
  readonly kind: 'NotificationTemplate' | 'SimIntegration' | 'ProfileSearch';
  readonly fields: JsonObject;
}

const live = ({ kind, fields }: Subject): LiveObject => {
  if (kind === 'NotificationTemplate') return template('welcome', fields);
  if (kind === 'ProfileSearch')
    return search('Welcome', (isArray(fields.rules) ? fields.rules : []).filter(isObject));
  const { sources = [], attributes = null, ...rest } = fields;
  const managedSources = isArray(sources) ? sources.map((id) => ({ id })) : null;
  return integration('welcome', { ...rest, managedSources, attributes: JSON.stringify(attributes) });
};

const keyOf = ({ kind }: Subject): JsonObject =>
  kind === 'NotificationTemplate'
    ? { key: 'welcome', medium: 'EMAIL', locale: 'en' }
    : kind === 'ProfileSearch'
      ? { label: 'Welcome' }
      : { name: 'welcome' };

function drawJson(dice: Dice, depth: number): Json {
  const drawn = dice(depth > 2 ? 4 : 7);
  if (drawn < 3) return texts[dice(texts.length)] ?? '';
  if (drawn === 3) return [1, 2.5, true, false][dice(4)] ?? 0;
  if (drawn === 4)
    return Array.from({ length: dice(4) }, (_, index) => `${texts[dice(texts.length)]}${index}`);
  return drawObject(dice, depth + 1);
}

function drawObject(dice: Dice, depth: number): JsonObject {
  const chosen = new Set(Array.from({ length: 1 + dice(4) }, () => names[dice(names.length)] ?? 'x'));
  return Object.fromEntries([...chosen].map((name) => [name, drawJson(dice, depth)]));
}

const rule = (value: string): JsonObject => ({
  type: 'ProfileAttributeRule',
  object_type: 'NeAttribute',
  condition_object_id: `id-${value}`,
  comparison_operator: 'include?',
  value,
});

function drawSubject(dice: Dice): Subject {
  const text = () => texts[dice(texts.length)] || 'text';
  const some = (length: number, make: (index: number) => Json) =>
    Array.from({ length: 1 + dice(length) }, (_, index) => make(index));
  switch (dice(3)) {
    case 0:
      return {
        kind: 'NotificationTemplate',
        fields: { subject: text(), body: text(), replyTo: text(), slackTemplate: drawObject(dice, 0) },
      };
    case 1:
      return {
        kind: 'SimIntegration',
        fields: {
          description: text(),
          cluster: text(),
          sources: some(3, (index) => (index === 0 ? 'src-1' : `src-${index + 5}`)),
          attributes: drawObject(dice, 0),
          statusMap: drawObject(dice, 1),
        },
      };
    default:
      return { kind: 'ProfileSearch', fields: { rules: some(3, (index) => rule(`v${index}`)) } };
  }
}

/** Changes one thing in the tenant; gives the pointers of what it touched. */
function change({ kind, fields }: Subject, dice: Dice): { after: Subject; touched: string[] } {
  const touched: string[] = [];
  const walk = (value: Json, at: string, byMembers: boolean): Json => {
    if (isArray(value)) {
      const index = dice(value.length || 1);
      const fresh: Json = isObject(value[0]) ? rule(`new${dice(9)}`) : `new ${dice(9)}`;
      const drawn = dice(3);
      if (drawn === 0 || value.length === 0) return [...value, fresh];
      touched.push(`${at}${pointer(index)}`);
      if (drawn === 1) return value.filter((_, each) => each !== index);
      const item = value[index] ?? null;
      return value.map((each, i) =>
        i === index ? (isObject(item) ? { ...item, value: 'other' } : fresh) : each,
      );
    }
    if (!isObject(value)) {
      touched.push(at);
      const others = texts.filter((text) => text !== value && text !== '');
      return others[dice(others.length)] ?? 'other';
    }
    const keys = Object.keys(value);
    const drawn = dice(5);
    if (drawn === 0 && !byMembers && !Object.hasOwn(value, 'added'))
      return { ...value, added: drawJson(dice, 2) };
    const key = keys[dice(keys.length || 1)];
    if (key === undefined) return value;
    const place = `${at}${pointer(key)}`;
    if (drawn === 1 && at !== '') {
      touched.push(place);
      return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    }
    return {
      ...value,
      [key]: walk(value[key] ?? null, place, at === '' ? place === '/attributes' : byMembers),
    };
  };
  const next = walk(fields, '', true);
  return { after: { kind, fields: isObject(next) ? next : fields }, touched };
}

/** Several changes, each in a field of its own. */
function changes(before: Subject, dice: Dice): { after: Subject; touched: string[] } {
  const touched: string[] = [];
  let after = before;
  for (let round = 0; round <= dice(3); round += 1) {
    const next = change(after, dice);
    const fields = Object.keys(next.after.fields).filter(
      (name) => next.after.fields[name] !== after.fields[name],
    );
    if (fields.some((name) => after.fields[name] !== before.fields[name])) continue;
    after = next.after;
    touched.push(...next.touched);
  }
  return { after, touched };
}

function merge(files: readonly ExportedFile[], objects: readonly LiveObject[]): Merge {
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const { resources } = load(files, {}, projectFile);
  const read = (path: string) => texts.get(path) ?? null;
  return mergeExport({ ...usualInput, objects, resources, read });
}

/** Whether the lines stand in the text in this order. */
function missingLine(lines: readonly string[], text: string): string | null {
  const all = text.split('\n');
  let from = 0;
  for (const line of lines) {
    const at = all.indexOf(line, from);
    if (at === -1) return line;
    from = at + 1;
  }
  return null;
}

describe('the law of merging', () =>
  it('gives what is live, and every line that need not change stays', () => {
    let checked = 0;
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const dice: Dice = (limit) => gen(fc.nat, { max: limit - 1 });
        const before = drawSubject(dice);
        const lines: Line[] = printStyled(
          { kind: before.kind, ...keyOf(before), ...before.fields },
          dice,
          variables,
        );
        const content = `${lines.map(({ text }) => text).join('\n')}\n`;
        const files = [{ path: 'config/a.yaml', content }];
        const base = live(before);
        expect(planFor(load(files, {}, projectFile), [base]).changes, content).toEqual([]);
        expect(merge(files, [base])).toMatchObject({ changed: [], created: [], deleted: [], gone: [] });

        const { after, touched } = changes(before, dice);
        const object = live(after);
        const { changed, diagnostics } = merge(files, [object]);
        expect(
          diagnostics.filter(({ severity }) => severity === 'error'),
          content + JSON.stringify(after),
        ).toEqual([]);
        const merged = changed[0]?.content ?? content;
        const shown = `${content}\n--- touched ${touched.join(' ')} ---\n${merged}`;
        const plan = planFor(load([{ path: 'config/a.yaml', content: merged }], {}, projectFile), [object]);
        expect(
          plan.changes.map(({ diff }) => diff),
          shown,
        ).toEqual([]);
        const stays = lines.filter((line) => !mayChange(line, touched, before.fields, after.fields));
        expect(
          missingLine(
            stays.map(({ text }) => text),
            merged,
          ),
          shown,
        ).toBeNull();
        expect(asides(merged), shown).toBeGreaterThanOrEqual(
          lastingAsides(lines, before.fields, after.fields),
        );
        checked += touched.length;
      }),
      { numRuns: runs(300) },
    );
    expect(checked).toBeGreaterThan(runs(100));
  }));

/** A line changes with its value, with what its value is part of, and with anything in a collection that it holds. */
function mayChange({ owner, role }: Line, touched: readonly string[], before: Json, after: Json): boolean {
  if (touched.some((place) => isWithin(owner, place))) return true;
  const now = at(after, owner);
  switch (role) {
    case 'remark':
      return false;
    case 'lead':
      // A collection without items has nothing to stand below its key.
      return typeof now !== 'object' || now === null || Object.keys(now).length === 0;
    case 'value':
      return JSON.stringify(at(before, owner)) !== JSON.stringify(now);
  }
}

const asides = (text: string): number => text.split('# aside').length - 1;

/** Comments beside values that are single values still; what moves within a list is not followed. */
function lastingAsides(lines: readonly Line[], before: Json, after: Json): number {
  const isSingle = (value: Json | undefined) =>
    value !== undefined && (value === null || typeof value !== 'object');
  const lasting = lines.filter(
    ({ owner, role, text }) =>
      role === 'value' &&
      text.endsWith('# aside') &&
      !/\/\d/.test(owner) &&
      isSingle(at(before, owner)) &&
      isSingle(at(after, owner)),
  );
  return lasting.length;
}

const at = (value: Json, owner: string): Json | undefined =>
  owner
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((found, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (isArray(found)) return found[Number(name)];
      return isObject(found) ? found[name] : undefined;
    }, value);
