import { expect, it } from 'vitest';
import type { Setting } from '../../src/kinds/project.ts';
import { clientOf, credentials, get, reply, serve } from './support.ts';

const source = { file: 'tenantctl.yaml', line: 7, column: 5 };
const named = (name: string): Setting => ({ name, source, excerpt: 'baseUrl: x' });

/** What is said where the token endpoint answers with a status, or with a text. */
async function problemOf(answer: number | string, setting?: Setting) {
  await using server = await serve((_arrival, response) => {
    if (typeof answer === 'string') response.end(answer);
    else reply(response, answer, answer === 200 ? { no: 'token' } : { error: 'v1.0.x' });
  });
  const auth = { ...credentials(server.url), ...(setting && { setting }) };
  await using setup = clientOf(server.url, { auth });
  const sent = await setup.client.send(get('/v2025/x'));
  if (sent.outcome !== 'unsent') throw new Error('It was sent.');
  const [problem, ...others] = sent.problems ?? [];
  expect(others).toEqual([]);
  return { ...problem, message: problem?.message.replaceAll(server.url, 'HOST') };
}

it('credentials that are refused are told from an endpoint that is wrong, with place and advice', async () => {
  expect(await problemOf(401, named('identity.auth'))).toMatchObject({
    code: 'tenant-unauthorized',
    severity: 'error',
    message: expect.stringMatching(
      /^The token endpoint HOST\/oauth\/token refused the credentials: .*[^.]\.$/,
    ),
    hint: expect.stringContaining('Check the client id and the client secret'),
    source,
    excerpt: 'baseUrl: x',
  });
  expect(await problemOf(404, named('identity.baseUrl'))).toMatchObject({
    code: 'token-endpoint',
    severity: 'error',
    message: expect.stringMatching(/did not issue a token: .*[^.]\. The credentials were not checked\.$/),
    hint: expect.stringContaining('is made from `identity.baseUrl`'),
    source,
  });
  expect((await problemOf(404, named('identity.auth.tokenUrl'))).hint).toMatch(
    /^Check `identity.auth.tokenUrl`/,
  );
  const placeless = await problemOf(404);
  expect(placeless.hint).toMatch(/^Check `tokenUrl`/);
  expect(placeless).not.toHaveProperty('source');
});

it('an endpoint that is down is neither', async () => {
  const { code, hint } = await problemOf(500, named('identity.baseUrl'));
  expect(code).toBe('token-endpoint');
  expect(hint).not.toContain('identity.baseUrl');
  expect(hint).toBeTruthy();
});

it('an answer without a token is said to be one', async () => {
  expect((await problemOf(200)).message).toMatch(
    /^The token endpoint HOST\/oauth\/token returned no token: /,
  );
});

it.each(['access_token=given-token&token_type=bearer', '{"access_token":"given-token","expires_'])(
  'of an answer that cannot be read, the token in it is not shown: %s',
  async (answer) => {
    const { message } = await problemOf(answer);
    expect(message).toContain('returned no token: 200 OK, with an answer that is not a JSON object.');
  },
);
