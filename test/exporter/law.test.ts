import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExportedFile } from '../../src/exporter/files.ts';
import { mergeExport } from '../../src/exporter/merge.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { fillLookups } from '../../src/planner/references.ts';
import { runs } from '../support/effort.ts';
import { usualInput } from './merging.ts';
import {
  answer,
  awkward,
  exportOf,
  hostileJson,
  load,
  lookedUp,
  planFor,
  type Rows,
  search,
  sender,
} from './support.ts';

describe('the law: export then plan is empty', () => {
  const text = fc.option(awkward, { nil: null });
  const template$ = fc
    .record({
      key: awkward.filter((key) => key !== '' && !/\p{Cs}/u.test(key)),
      medium: fc.constantFrom('EMAIL', 'SLACK', 'TEAMS'),
      name: text,
      description: text,
      subject: text,
      header: text,
      body: text,
      footer: text,
      from: text,
      replyTo: text,
      slackTemplate: fc.oneof(
        hostileJson,
        hostileJson.map((value) => JSON.stringify(value)),
      ),
      teamsTemplate: fc.record({ blocks: hostileJson.map((value) => JSON.stringify(value)), text: awkward }),
    })
    .map((raw) => answer('NotificationTemplate', { id: 'x', locale: 'en', ...raw }));
  const integration$ = fc
    .record({
      name: awkward.filter((name) => name !== '' && !/\p{Cs}/u.test(name)),
      description: text,
      type: text,
      cluster: text,
      clusterRef: fc.option(fc.record({ id: awkward, name: awkward }), { nil: null }),
      managedSources: fc.array(fc.record({ id: awkward, name: awkward }), { maxLength: 3 }),
      attributes: fc.oneof(
        hostileJson,
        hostileJson.map((value) => JSON.stringify(value)),
      ),
      statusMap: fc.option(hostileJson, { nil: null }),
      request: fc.option(awkward, { nil: null }),
      beforeProvisioningRule: fc.option(
        fc.record({ type: text, id: text, name: text, more: awkward }, { requiredKeys: ['type'] }),
        { nil: null },
      ),
    })
    .map((raw) => answer('SimIntegration', { id: 'x', ...raw }));
  const rule$ = fc.oneof(
    fc.record({
      type: fc.constant('ProfileStatusRule'),
      comparison_operator: fc.constant('=='),
      value: fc.constantFrom('Active', 'Gone'),
    }),
    fc.record({
      type: fc.constant('ProfileTypeRule'),
      comparison_operator: fc.constant('!='),
      value: fc.constantFrom<string | number>('t1', 't2', 3, 'null'),
    }),
    fc.record({
      type: fc.constant('ProfileAttributeRule'),
      object_type: fc.constant('NeAttribute'),
      condition_object_id: fc.constantFrom('a1', 'a2'),
      comparison_operator: fc.constant('include?'),
      value: awkward,
    }),
  );
  const search$ = fc
    .tuple(
      awkward.filter((label) => label !== '' && !/\p{Cs}/u.test(label)),
      fc.array(rule$, { maxLength: 4 }),
    )
    .map(([label, rules]) => search(label, rules));
  const others$ = fc.constantFrom(
    sender('Some.One@acme.example'),
    answer('MailFrom', { identity: 'acme.example', mailFromDomain: 'bounce.acme.example' }),
    answer('NotificationPreference', { key: 'null', mediums: ['SLACK', 'EMAIL'] }),
    answer('NotificationPreference', { key: 'b', mediums: [] }),
    answer(
      'AuthProfile',
      { type: 'PTA', offNetwork: false, applicationId: '12', applicationName: 'a: b' },
      '0x12',
    ),
  );
  const rows: Rows = new Map([
    [
      'profile_types',
      [
        { id: 't1', uid: 'null', name: 'a: b' },
        { id: 't2', name: 'x, y]' },
        { id: 3, uid: '12' },
      ],
    ],
    [
      'ne_attributes',
      [
        { id: 'a1', uid: '#1' },
        { id: 'a2', uid: '\u2028', label: ' ' },
      ],
    ],
  ]);

  it('holds for any tenant, and texts stay as they are', () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(template$, integration$, search$, others$), { maxLength: 6 }),
        (drawn) => {
          const objects = [...new Map(drawn.map((object) => [object.address, object])).values()];
          const project = load(exportOf(objects, { records: rows }).files);
          const plan = planFor(project, objects, rows);
          expect(plan.changes.map(({ address, diff }) => ({ address, diff }))).toEqual([]);
          for (const { kind, address, fields } of project.resources) {
            if (kind.name !== 'NotificationTemplate') continue;
            const live = objects.find((object) => object.address === address)?.fields ?? {};
            for (const name of ['subject', 'body', 'description'])
              expect(fields[name] ?? '').toBe(live[name] ?? '');
          }
        },
      ),
      { numRuns: runs(400) },
    ));

  const mergeInto = (files: readonly ExportedFile[], objects: readonly LiveObject[]) => {
    const contents = new Map(files.map(({ path, content }) => [path, content]));
    const read = (path: string) => contents.get(path) ?? null;
    const resources = load(files).resources.map((each) =>
      fillLookups(each, (lookup) => lookedUp(lookup, rows)),
    );
    const more = { records: rows, folder: '', delete: true };
    const result = mergeExport({ ...usualInput, objects, resources, read, ...more });
    for (const { path, content } of [...result.changed, ...result.created]) contents.set(path, content);
    for (const path of result.deleted) contents.delete(path);
    return { ...result, files: [...contents].map(([path, content]) => ({ path, content })) };
  };
  const another = (object: LiveObject, { kind, raw }: LiveObject): LiveObject | null => {
    if (kind !== object.kind) return null;
    const { key, medium, locale, name, label } = object.raw;
    const kept = Object.entries({
      key,
      medium,
      locale,
      label,
      ...(kind.name === 'SimIntegration' ? { name } : {}),
    });
    return answer(kind.name, {
      ...raw,
      ...Object.fromEntries(kept.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]))),
    });
  };

  it('holds when an export is merged into another one, and merging nothing new changes nothing', () => {
    // With a member that always can be compared: of nothing but secrets there is nothing to compare.
    const attributes$ = fc.record({ url: fc.constantFrom('a', 'b'), more: hostileJson });
    const comparable$ = fc
      .tuple(integration$, attributes$)
      .map(([{ raw }, attributes]) => answer('SimIntegration', { ...raw, attributes }));
    const pair$ = fc.oneof(
      fc.tuple(template$, template$),
      fc.tuple(comparable$, comparable$),
      fc.tuple(search$, search$),
    );
    fc.assert(
      fc.property(pair$, ([first, second]) => {
        const { files } = exportOf([first], { records: rows });
        expect(mergeInto(files, [first])).toMatchObject({ changed: [], created: [], deleted: [] });
        const object = another(first, second);
        if (!object || files.length === 0) return;
        const { files: merged, diagnostics } = mergeInto(files, [object]);
        const errors = diagnostics.filter(({ severity }) => severity === 'error');
        // Of a list with a secret, nobody knows which of the tenant's values is the secret one.
        expect(errors.filter(({ code }) => code !== 'secret-kept')).toEqual([]);
        const reported = diagnostics.some(({ code }) => code === 'not-declarable' || code === 'secret-kept');
        const { changes } = planFor(load(merged), [object], rows);
        if (!reported) expect(changes.map(({ diff }) => diff)).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });
});
