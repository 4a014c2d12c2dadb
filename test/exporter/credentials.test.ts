/** What an export takes for a credential: by name, by form, by the name beside it, and by existing manifests. */
import { expect, it } from 'vitest';
import { exportObjects } from '../../src/exporter/index.ts';
import type { Json } from '../../src/model/json.ts';
import { integration, load, planFor, search, template } from './support.ts';

const records = new Map();

/** The attributes of an exported integration, as they are loaded again, and the plan that follows. */
function roundTrip(attributes: Json) {
  const objects = [integration('Desk', { attributes })];
  const { files } = exportObjects({ objects, records });
  const project = load(files);
  const text = files.map(({ content }) => content).join('\n');
  return { text, fields: project.resources[0]?.fields, plan: planFor(project, objects) };
}

const named = (name: string) => ({ $secret: `SIM_INTEGRATION_DESK_ATTRIBUTES_${name}` });

it.each<[string, Json, Json]>([
  ['a name', { pwd: 'canary' }, { pwd: named('PWD') }],
  ['a form', { hook: 'https://a:canary@b.example' }, { hook: named('HOOK') }],
  [
    'a pair',
    { auth: { name: 'password', value: 'canary' } },
    { auth: { name: 'password', value: named('AUTH_VALUE') } },
  ],
  [
    'a pair in a list',
    {
      headers: [
        { key: 'Accept', value: 'json' },
        { key: 'Authorization', value: 'canary' },
      ],
    },
    {
      headers: [
        { key: 'Accept', value: 'json' },
        { key: 'Authorization', value: named('HEADERS_1_VALUE') },
      ],
    },
  ],
  ['JSON in text', { text: '[{"name":"token","value":"canary"}]' }, { text: named('TEXT') }],
])('writes as a secret what %s tells to be one, and plans nothing', (_, attributes, declared) => {
  const { text, fields, plan } = roundTrip(attributes);
  expect(text).not.toContain('canary');
  expect(fields).toEqual({ attributes: declared });
  expect(plan.changes).toEqual([]);
});

it('leaves out a list in which a mask stands for a credential that cannot be declared', () => {
  const { text, plan } = roundTrip({ url: 'u', numbers: { password: 1234567 } });
  expect(text).not.toContain('1234567');
  expect(text).toContain('left out');
  expect(plan.changes).toEqual([]);
});

it('writes as secrets, by their names, what manifests declare so already', () => {
  const objects = [
    template('welcome', {
      subject: 'canary-subject',
      body: `canary\n${'long '.repeat(100)}\n\n\n`,
      from: 'a@b.example',
    }),
    search('Staff', [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 'canary-rule' }]),
  ];
  const secrets = new Map([
    [
      'NotificationTemplate/welcome/EMAIL/en',
      new Map([
        ['/subject', 'MINE'],
        ['/body', 'OTHER'],
      ]),
    ],
    ['ProfileSearch/Staff', new Map([['/rules/3/value', 'RULE']])],
  ]);
  const { files, secrets: named } = exportObjects({
    objects,
    records,
    declaredSecrets: ({ address }) => secrets.get(address) ?? new Map(),
  });
  const text = files.map(({ content }) => content).join('\n');
  expect(text).not.toContain('canary');
  expect(text).toContain('subject: !secret MINE');
  expect(text).toContain('body: !secret OTHER');
  expect(text).toContain('from: a@b.example');
  expect(named.map(({ name }) => name)).toEqual(['MINE', 'OTHER']);
});
