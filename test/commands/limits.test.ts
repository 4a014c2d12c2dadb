/** What `limits` of an environment do, as the program passes them on. Deletes: safety/guards; settle: safety/late-tenant. */
import { expect, it } from 'vitest';
import { createHostProject, serve } from '../support/api-host.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { createTestWorld, expectEnd, succeed } from '../support/world.ts';

shortenPauses();

const senders = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: 'SenderAddress', email: `s${at}@acme.example` }));

it('`timeout` ends an answer that keeps coming and does not end', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    // Blanks keep the connection busy. After them, it would be an answer all the same.
    let left = 60;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return void response.write(' ');
      clearInterval(timer);
      response.end('[]');
    }, 20);
    response.on('close', () => clearInterval(timer));
  });
  const project = createHostProject(
    { test: { url, log: [] } },
    { 'config/a.yaml': 'kind: SenderAddress\nemail: a@acme.example\n' },
  );
  project.write(
    'tenantctl.yaml',
    project.read('tenantctl.yaml').replace('settle:', 'timeout: 100ms, settle:'),
  );
  await expectEnd(project.run('plan'), 1, 'no complete response arrived within the time limit');
});

it('`concurrency` is how many requests are open at once', async () => {
  for (const concurrency of [1, 3]) {
    const world = await createTestWorld({
      environment: { limits: { concurrency } },
      sandbox: { latency: 5 },
    });
    const identities = Array.from({ length: 6 }, (_, at) => `d${at}.example`);
    // Each is read by a request of its own, and each sender is made by one.
    world.declare([
      ...identities.map((identity) => ({ kind: 'MailFrom', identity, mailFromDomain: `b.${identity}` })),
      ...senders(6),
    ]);
    await succeed(world, 'plan');
    expect(world.sandbox.metrics.mostAtOnce).toBe(concurrency);
    await world.run('apply --yes');
    expect(world.sandbox.metrics.mostAtOnce).toBe(concurrency);
  }
});

it('`requests` in `per` are waited for', async () => {
  const world = await createTestWorld({ environment: { limits: { requests: 4, per: '300ms' } } });
  world.declare(senders(10));
  const { stderr } = await succeed(world, 'apply --yes --verbose');
  expect(new Set(stderr.match(/rate limit reached, continuing in \d+ s/g))).toEqual(
    new Set(['rate limit reached, continuing in 1 s']),
  );
});
