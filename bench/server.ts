import { type SandboxOptions, startSandbox } from '../src/sandbox/index.ts';
import { integrations } from './integrations.ts';
import { type Template, templates } from './templates.ts';
import type { Counts, TenantAccess, TenantOptions } from './tenant.ts';

const options: TenantOptions = JSON.parse(process.argv[2] ?? '{}');
const { latency, limit, kinds } = options;
const rateLimit = limit === null ? null : { requests: limit, per: 10_000 };
let [rounds, roundEnds] = [0, 0];
/** Counts how many answers were waited for one after the other: what comes before the first of a round is answered belongs to it. */
const countRounds: NonNullable<SandboxOptions['around']> = (asked, next) => {
  const arrivedAt = performance.now() - latency;
  if (arrivedAt >= roundEnds) [rounds, roundEnds] = [rounds + 1, arrivedAt + latency];
  return next(asked);
};
const sandboxes = await Promise.all(
  Array.from({ length: options.tenants }, () =>
    startSandbox({ latency, rateLimit, kinds, around: countRounds }),
  ),
);
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

const made = {
  templates: templates(options.templates).map((template, number) => ({
    ...whole(template),
    id: `0d5f3c1e-0000-4000-8000-${String(number).padStart(12, '0')}`,
    created: time,
    modified: time,
  })),
  simIntegrations: integrations(options.integrations).map((each, number) => ({
    ...each,
    sources: [...each.sources],
    id: `integration-${number}`,
    request: null,
    statusMap: null,
    beforeProvisioningRule: null,
    created: time,
    modified: time,
  })),
  desks: integrations(options.desks).map((each, number) => ({
    ...each,
    id: `desk-${number}`,
    created: time,
    modified: time,
  })),
  senders: Array.from({ length: options.senders }, (_, number) => ({
    id: `sender-${number}`,
    email: `sender-${number}@acme.example`,
    isVerifiedByDomain: false,
    verificationStatus: 'SUCCESS' as const,
    region: null,
    readsLeft: null,
  })),
  // A default differs from whatever is declared, so that every declared template is a change.
  templateDefaults: templates(options.defaults).map((template) => ({
    ...whole(template),
    subject: 'The default',
  })),
};
for (const { state } of sandboxes) {
  state.templates.push(...made.templates);
  state.simIntegrations.push(...made.simIntegrations);
  state.senders.push(...made.senders);
  state.templateDefaults.push(...made.templateDefaults);
  state.objects.Desk = structuredClone(made.desks);
}

process.send?.(
  sandboxes.map(({ url, clientId, clientSecret }): TenantAccess => ({ url, clientId, clientSecret })),
);
const reported = sandboxes.map(() => 0);
process.on('message', () => {
  const logs = sandboxes.map(({ log }, at) => {
    const since = log.slice(reported[at]);
    reported[at] = log.length;
    return since;
  });
  const all = logs.flat();
  const counts: Counts = {
    requests: all.length,
    writes: all.filter(({ method, operation }) => method !== 'GET' && operation !== 'issue-token').length,
    refused: all.filter(({ status }) => status === 429).length,
    most: Math.max(...logs.map(({ length }) => length)),
    rounds,
  };
  rounds = 0;
  process.send?.(counts);
});
process.on('disconnect', () => process.exit());
