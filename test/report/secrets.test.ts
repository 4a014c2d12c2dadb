/** A sensitive value is not shown, so reports say which secret is sent. */
import { expect, it } from 'vitest';
import { fleetOf } from '../../src/model/fleet.ts';
import type { Change } from '../../src/model/plan.ts';
import type { Format } from '../../src/report/index.ts';
import { change, difference, plan, render, update } from './fixtures.ts';

const formats: Format[] = ['text', 'markdown', 'html', 'junit'];

/** What a report says of secrets, without markup. */
function secretsSaid(report: string): string[] {
  const text = report.replace(/<details class="requests">.*?<\/details>/gs, '').replace(/<[^>]*>|`/g, '');
  return [...text.matchAll(/sends secrets:? ?([\w, ]*)/gi)].map(([, names = '']) => names);
}

function sending(name: string, ...secrets: string[]): Change {
  const body = Object.fromEntries(secrets.map((secret, at) => [`field${at}`, { $secret: secret }]));
  const requests = [
    {
      method: 'PATCH',
      path: `/v2024/sim-integrations/${name}`,
      query: {},
      headers: {},
      body: { $jsonText: body },
    },
  ] as const;
  return change({
    address: `SimIntegration/${name}`,
    action: 'update',
    diff: [difference('/description', 'a', 'b')],
    requests,
  });
}

it.each(formats)('names the secrets of each change once (%s)', (format) => {
  const value = plan([sending('A', 'SNOW_PASSWORD', 'OTHER', 'OTHER'), senderless]);
  expect(secretsSaid(render(value, format))).toEqual(['OTHER, SNOW_PASSWORD']);
});

const senderless = update('NotificationTemplate/a/EMAIL/en', difference('/subject', 'a', 'c'));

it.each(formats)('shows changes that send other secrets apart (%s)', (format) => {
  const value = plan([sending('A', 'SNOW_PASSWORD'), sending('B', 'TENANT_CLIENT_SECRET'), sending('C')]);
  expect(secretsSaid(render(value, format))).toEqual(['SNOW_PASSWORD', 'TENANT_CLIENT_SECRET']);
});

it.each(['text', 'markdown', 'html'] satisfies Format[])(
  'names those of all environments that share a change (%s)',
  (format) => {
    const fleet = fleetOf(
      ['PRODUCTION', 'TEST'].map((name) => ({
        name,
        plan: plan([sending('A', `${name}_PASSWORD`)], { environment: name }),
        error: null,
      })),
    );
    const said = secretsSaid(render(fleet, format));
    expect(said).toEqual(['PRODUCTION_PASSWORD, TEST_PASSWORD']);
  },
);

it.each(formats)('shows nothing of what a change declares beside its difference (%s)', (format) => {
  const declared = { description: 'canary', attributes: { password: { $secret: 'NOWHERE' } } };
  const value = plan([Object.assign(sending('A'), { declared })]);
  const report = render(value, format, { verbose: true });
  expect(report).not.toMatch(/canary|NOWHERE/);
});
