import { describe, expect, it, onTestFinished } from 'vitest';
import { startProxy } from '../client/proxies.ts';
import { createTestWorld, editProject, expectEnd, type World } from '../support/world.ts';

const sender = { kind: 'SenderAddress', email: 'a@acme.example' };

/** The world with the variable that lists hosts set, and others. */
async function openWorld(allowed: string | undefined, more: NodeJS.ProcessEnv = {}): Promise<World> {
  const world = await createTestWorld();
  if (allowed !== undefined) world.env.TENANTCTL_ALLOWED_HOSTS = allowed;
  Object.assign(world.env, more);
  world.declare([sender]);
  return world;
}

const hostOf = (world: World): string => new URL(world.sandbox.url).host;

describe('TENANTCTL_ALLOWED_HOSTS', () => {
  it.each(['plan', 'apply --yes', 'export --out x', 'status', 'search Staff'])(
    'lets `%s` call no other host: nothing is sent, and no credential is asked for',
    async (command) => {
      const world = await openWorld('acme.example, other.example:8443');
      delete world.env.CLIENT_ID;
      delete world.env.CLIENT_SECRET;
      const refused = await expectEnd(world.run(command), 1, '[host-not-allowed]');
      const words = refused.stderr.replaceAll(/\s+/g, ' ');
      expect(words).toContain(`names the host ${hostOf(world)}, which may not be called`);
      expect(words).toContain('TENANTCTL_ALLOWED_HOSTS lists only acme.example, other.example:8443.');
      expect(words).toMatch(/tenantctl\.yaml:6:16 error `identity\.baseUrl`/);
      expect(words).toMatch(/tenantctl\.yaml:10:26 error `profiles\.baseUrl`/);
      expect(words).toContain('[host-not-allowed]');
      expect(words).not.toContain('secret-unset');
      expect(world.sandbox.log).toEqual([]);
    },
  );

  it('lets the hosts that it lists be called', async () => {
    const world = await openWorld('acme.example');
    world.env.TENANTCTL_ALLOWED_HOSTS = ` ${hostOf(world)} ,acme.example`;
    expect(await world.run('plan')).toMatchObject({ code: 0 });
  });

  it('holds beside a proxy, which still gets every request', async () => {
    const proxy = await startProxy();
    onTestFinished(proxy.close);
    const world = await openWorld('acme.example', { HTTP_PROXY: proxy.url });
    await expectEnd(world.run('plan'), 1, '[host-not-allowed]');
    expect(proxy.tunnels).toEqual([]);
    world.env.TENANTCTL_ALLOWED_HOSTS = hostOf(world);
    expect(await world.run('plan')).toMatchObject({ code: 0 });
    expect(new Set(proxy.tunnels)).toEqual(new Set([hostOf(world)]));
  });

  it('holds for token URLs', async () => {
    const world = await openWorld(undefined);
    const elsewhere = await createTestWorld();
    const tokenUrl = `${elsewhere.sandbox.url}/oauth/token`;
    editProject(world, 'auth:', `tokenUrl: "${tokenUrl}",\n      auth:`);
    world.env.TENANTCTL_ALLOWED_HOSTS = hostOf(world);
    expect((await expectEnd(world.run('plan --format json'), 1, '[host-not-allowed]')).json).toMatchObject({
      diagnostics: [
        {
          code: 'host-not-allowed',
          message: expect.stringContaining(`\`identity.tokenUrl\` names the host ${hostOf(elsewhere)}`),
          source: { file: 'tenantctl.yaml', line: 7, column: 17 },
        },
      ],
    });
    expect([...world.sandbox.log, ...elsewhere.sandbox.log]).toEqual([]);
  });

  it.each(['', ' , '])('that is set but empty (%j) lets no host be called', async (empty) => {
    const world = await openWorld(empty);
    const refused = await expectEnd(world.run('plan'), 1, '[host-not-allowed]');
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain('is set and lists no host');
    expect(world.sandbox.log).toEqual([]);
  });

  it.each([
    ...['https://acme.example', '*.acme.example', 'acme.example/v2025', 'me@acme.example'],
    ...['a b', 'acme:99999x'],
  ])('that lists `%s` is refused: a list that cannot be read would protect nothing', async (entry) => {
    const world = await openWorld('acme.example');
    world.env.TENANTCTL_ALLOWED_HOSTS = `${hostOf(world)},${entry}`;
    await expectEnd(world.run('plan'), 1, '[invalid-allowed-hosts]');
    expect(world.sandbox.log).toEqual([]);
  });

  it('needs no entry for the embedded tenant', async () => {
    const world = await openWorld('acme.example');
    world.write('tenantctl.yaml', 'version: 1\nenvironments: { local: { sandbox: {} } }\n');
    expect(await world.run('plan')).toMatchObject({ code: 0 });
  });
});

it.each(['Host', 'AUTHORIZATION', 'proxy-authorization', 'Connection', 'Transfer-Encoding'])(
  'the experimental header cannot be %s, which says where a request goes or as whom',
  async (header) => {
    const world = await openWorld(undefined);
    editProject(world, 'identity: {', `identity: { experimentalHeader: ${header},`);
    const { stderr } = await expectEnd(world.run('plan'), 1, '[unsafe-request]');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`may not set the header "${header.toLowerCase()}"`);
    expect(world.sandbox.log.filter(({ path }) => path !== '/oauth/token')).toEqual([]);
  },
);

describe('credentials that are not set', () => {
  it('are one error each, with their places, however many kinds are read', async () => {
    const world = await openWorld(undefined);
    delete world.env.CLIENT_ID;
    delete world.env.CLIENT_SECRET;
    world.declare([sender, { kind: 'SimIntegration', name: 'D', type: 'x', cluster: 'c', sources: ['s'] }]);
    const { json } = await expectEnd(world.run('plan --format json'), 1, '[secret-unset]');
    const unset = (name: string, column: number) => ({
      code: 'secret-unset',
      message: `The secret ${name} is not set.`,
      source: { file: 'tenantctl.yaml', line: 7, column },
    });
    const { diagnostics } = Object(json);
    const errors = diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
    expect(errors).toMatchObject([unset('CLIENT_ID', 25), unset('CLIENT_SECRET', 55)]);
    expect(errors).toHaveLength(2);
    expect(world.sandbox.log).toEqual([]);
  });

  it('are no matter to a token endpoint that does not exist, whose setting is named', async () => {
    const world = await openWorld(undefined);
    const template = { kind: 'NotificationTemplate', key: 'k', medium: 'EMAIL', locale: 'en', body: 'b' };
    world.declare([sender, template]);
    editProject(world, 'auth:', `tokenUrl: "${world.sandbox.url}/v2/token",\n      auth:`);
    const { json } = await expectEnd(world.run('plan --format json'), 1, '[token-endpoint]');
    expect(Object(json).diagnostics).toMatchObject([
      {
        code: 'token-endpoint',
        message: expect.stringMatching(/\/v2\/token did not issue a token: 404/),
        hint: expect.stringContaining('`identity.tokenUrl`'),
        source: { line: 7, column: 17 },
      },
    ]);
    expect(world.sandbox.log).toHaveLength(1);
  });
});
