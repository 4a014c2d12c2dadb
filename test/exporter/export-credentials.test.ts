/** No credential is written into a manifest, wherever the settings of an integration hold it. */
import { describe, expect, it } from 'vitest';
import { exportObjects } from '../../src/exporter/index.ts';
import type { Json } from '../../src/model/json.ts';
import { integration, template } from './support.ts';

const exported = (fields: Record<string, Json>) =>
  exportObjects({
    objects: [integration('I', { request: {}, statusMap: {}, ...fields })],
    records: new Map(),
  }).files;
const manifestOf = (fields: Record<string, Json>) =>
  exported(fields).find(({ path }) => path.endsWith('.yaml'))?.content ?? '';

describe('settings', () => {
  it.each<[string, Json]>([
    ['by name', { password: 'canary' }],
    ['below such a name', { credentials: { user: 'canary', list: ['canary'] } }],
    ['in the query of a URL', { url: 'https://desk.example/?token=canary' }],
    ['as a pair in a text', { options: 'user=svc;password=canary' }],
    ['in JSON inside a text', { options: '{"inner":{"apiKey":"canary"}}' }],
    ['in JSON that spells its name otherwise', { options: '{"pass\\u0077ord":"canary"}' }],
    ['in a list of JSON inside a text', { options: ' [{"client_secret":"canary"}]' }],
    ['in a list', { servers: [{ url: 'x', password: 'canary' }] }],
    ['in a text inside a list', { servers: ['https://desk.example/?token=canary'] }],
    ['in settings that cannot be parsed', 'password is canary'],
    ['in settings that are a list', ['https://desk.example/?token=canary']],
  ])('with a credential %s', (_, attributes) => {
    for (const field of ['attributes', 'request', 'statusMap']) {
      const files = exported({ [field]: attributes });
      expect(JSON.stringify(files)).not.toContain('canary');
    }
  });

  it('with a number for a credential say what is left out, and why', () => {
    const manifest = manifestOf({ attributes: { url: 'u', port: 1, password: 4711 } });
    expect(manifest).toContain('url: u');
    expect(manifest).toContain('port: 1');
    expect(manifest).not.toContain('4711');
    expect(manifest).toContain('# attributes.password is left out: it may hold a credential');
  });

  it.each<[Json, string]>([
    [{ options: 'user=svc' }, 'options: user=svc'],
    [{ options: '{"user":"svc"}' }, 'options: "{\\"user\\":\\"svc\\"}"'],
    [{ password: '' }, 'password: ""'],
    // A blank secret counts as not set.
    [{ password: ' ' }, 'password: " "'],
    [{ user: 'svc', keyboard: 'qwerty' }, 'keyboard: qwerty'],
  ])('without a credential are written: %j', (attributes, line) => {
    expect(manifestOf({ attributes })).toContain(line);
  });
});

it('the text of a template may speak of passwords', () => {
  const { files } = exportObjects({
    objects: [
      template('a', { body: 'password=$password', slackTemplate: { text: 'token: $token', key: 'k' } }),
    ],
    records: new Map(),
  });
  expect(files[0]?.content).toContain('body: password=$password');
  expect(files[0]?.content).toContain('text: "token: $token"');
  expect(files[0]?.content).toContain('key: k');
});
