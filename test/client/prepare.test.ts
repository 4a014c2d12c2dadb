/** Requests that are not sent at all: no service, a secret that is not set. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Secrets } from '../../src/kinds/project.ts';
import { failure } from '../../src/model/failure.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { fixedToken, get, post, tenant } from './support.ts';

const endpoint = { baseUrl: 'https://a.example', auth: fixedToken };
const secrets: Secrets = {
  reveal: (name) => {
    throw failure('secret-unset', `${name} is not set.`, { hint: `Set ${name}.` });
  },
  matches: () => false,
  problem: () => null,
};
const clientWith = (target: object) =>
  createClient(
    {
      tenant,
      identity: endpoint,
      profiles: endpoint,
      limits: { requests: 100, per: 10_000, concurrency: 8 },
      settings: contractSettings,
      ...target,
    },
    secrets,
  );

test.each([
  ['identity', '/v2025/x'],
  ['profiles', '/api/users'],
])('a service that the environment does not have is named, with what to add: %s', async (service, path) => {
  const client = clientWith({ [service]: null });
  expect(await client.send(get(path))).toEqual({
    outcome: 'unsent',
    reason: 'no-endpoint',
    detail: `this environment has no ${service} service`,
    hint: `Add \`${service}: { baseUrl: … }\` to the environment in the project file.`,
    ...{ attempts: 0, ms: 0, trackingId: null, repeated: false },
  });
  await client.close();
});

test('a secret that is not set is named, with what to do', async () => {
  const client = clientWith({});
  expect(await client.send(post('/v2025/x', { password: { $secret: 'PW' } }))).toMatchObject({
    outcome: 'unsent',
    reason: 'no-secret',
    detail: 'PW is not set',
    hint: 'Set PW.',
    problems: [{ code: 'secret-unset' }],
    attempts: 0,
  });
  await client.close();
});
