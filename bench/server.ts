import { startSandbox } from '../src/sandbox/index.ts';
import { integrations } from './integrations.ts';
import { type Template, templates } from './templates.ts';
import type { Counts, TenantOptions } from './tenant.ts';

const options: TenantOptions = JSON.parse(process.argv[2] ?? '{}');
const { latency, limit } = options;
const rateLimit = limit === null ? null : { requests: limit, per: 10_000 };
const sandbox = await startSandbox({ latency, rateLimit });
const time = '2026-01-01T00:00:00.000Z';
const unset = {
  header: null,
  footer: null,
  from: null,
  replyTo: null,
  slackTemplate: null,
  teamsTemplate: null,
};
const whole = (template: Template) => ({ ...unset, ...template });

sandbox.state.templates.push(
  ...templates(options.templates).map((template, number) => ({
    ...whole(template),
    id: `0d5f3c1e-0000-4000-8000-${String(number).padStart(12, '0')}`,
    created: time,
    modified: time,
  })),
);
sandbox.state.simIntegrations.push(
  ...integrations(options.integrations).map((each, number) => ({
    ...each,
    sources: [...each.sources],
    id: `integration-${number}`,
    request: null,
    statusMap: null,
    beforeProvisioningRule: null,
    created: time,
    modified: time,
  })),
);
// A default differs from whatever is declared, so that every declared template is a change.
sandbox.state.templateDefaults.push(
  ...templates(options.defaults).map((template) => ({ ...whole(template), subject: 'The default' })),
);

const { url, clientId, clientSecret } = sandbox;
process.send?.({ url, clientId, clientSecret });
let reported = 0;
process.on('message', () => {
  const log = sandbox.log.slice(reported);
  reported = sandbox.log.length;
  const counts: Counts = {
    requests: log.length,
    writes: log.filter(({ method, operation }) => method !== 'GET' && operation !== 'issue-token').length,
    refused: log.filter(({ status }) => status === 429).length,
  };
  process.send?.(counts);
});
process.on('disconnect', () => process.exit());
