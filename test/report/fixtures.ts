import {
  type Action,
  type Change,
  type ChangeResult,
  type Difference,
  type Fleet,
  type FleetMember,
  fleetOf,
  formats,
  type Plan,
  type Result,
  type Summary,
} from '../../src/model/documents.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import type { Document, Format, ReportOptions } from '../../src/report/report.ts';
import { renderReport } from '../../src/report/writers.ts';

/** Hand-made values for the reports. */

export const digest = `sha256:${'ab12'.repeat(16)}`;
const tenant = { identity: 'https://acme.api.example.com', profiles: 'https://acme-profiles.example.com' };
export const plain: ReportOptions = { colour: false, width: 100 };

type Shown = Document | Plan | Result | Fleet | readonly Diagnostic[];

export function documentOf(shown: Shown): Document {
  if ('is' in shown) return shown;
  if ('environments' in shown) return { is: 'fleet', fleet: shown };
  if ('planDigest' in shown) return { is: 'result', result: shown };
  return 'digest' in shown ? { is: 'plan', plan: shown } : { is: 'diagnostics', diagnostics: shown };
}

/** A report without colours, 100 columns wide, unless the options say something else. */
export const render = (shown: Shown, format: Format, options: Partial<ReportOptions> = {}): string =>
  renderReport(documentOf(shown), format, { ...plain, ...options });

export function difference(
  path: string,
  before: Difference['before'],
  after: Difference['after'],
): Difference {
  return { path, op: 'replace', before, after, sensitive: false, origin: null };
}

export function added(path: string, after: Difference['after']): Difference {
  return { path, op: 'add', before: null, after, sensitive: false, origin: null };
}

export function change(more: Partial<Change> & Pick<Change, 'address' | 'action'>): Change {
  const [kind = '', ...key] = more.address.split('/');
  return {
    kind,
    key,
    source: { file: 'config/all.yaml', line: 12 },
    id: null,
    fingerprint: null,
    diff: [],
    declared: {},
    requests: [],
    warnings: [],
    risk: [],
    ...more,
  };
}

export const update = (address: string, ...diff: readonly Difference[]): Change =>
  change({ address, action: 'update', diff });

/** One template in these locales, with the same replacement in each. */
export const localesOf = (locales: readonly string[], word = 'Beta'): Change[] =>
  locales.map((locale) =>
    update(
      `NotificationTemplate/k/EMAIL/${locale}`,
      difference('/subject', 'Welcome to the ACME portal', `Welcome to the ${word} portal`),
    ),
  );

export function plan(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  const count = (action: Action): number => changes.filter((item) => item.action === action).length;
  const summary: Summary = {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    manual: count('manual'),
    unchanged: 137,
  };
  return {
    formatVersion: formats.plan,
    tool: { name: 'tenantctl', version: '0.1.0' },
    createdAt: '2025-03-01T10:00:00.000Z',
    environment: 'production',
    tenant,
    scope: { only: [], except: [], prune: false, since: null },
    digest,
    summary,
    desired: {},
    changes,
    diagnostics: [],
    ...more,
  };
}

/** The plans of these environments; one whose changes are an error could not be made. */
export function fleet(
  names: readonly string[],
  changesOf: (name: string) => readonly Change[] | Diagnostic,
): Fleet {
  return fleetOf(
    names.map((name): FleetMember => {
      const made = changesOf(name);
      return 'severity' in made
        ? { name, plan: null, error: { exitCode: 1, diagnostics: [made] } }
        : { name, plan: plan(made, { environment: name }), error: null };
    }),
  );
}

/** The same environments with results; one without a result was only planned. */
export function withResults(
  planned: Fleet,
  resultOf: (name: string, at: number) => Result | undefined,
): Fleet {
  const environments = planned.environments.map((each, at) => {
    const result = resultOf(each.name, at);
    return result ? { ...each, result } : each;
  });
  return { ...planned, environments };
}

/** `tenant-01`, `tenant-02`, … */
export function names(count: number): string[] {
  const width = String(count).length;
  return Array.from({ length: count }, (_, at) => `tenant-${String(at + 1).padStart(width, '0')}`);
}

const oldBody = `<html>
  <body>
    <h1>Hello $name</h1>
    <p>You have \${numberOfPendingTasks} tasks to complete.</p>
    <p>Please sign in.</p>
    #if($requireReason)
    <p>A reason is required.</p>
    #end
    <p>Regards</p>
  </body>
</html>
`;

export const textUpdate = change({
  address: 'NotificationTemplate/work_item_summary/EMAIL/en',
  action: 'update',
  id: '2c918084',
  fingerprint: digest,
  source: { file: 'config/templates.yaml', line: 40 },
  diff: [
    difference('/subject', 'You have work', 'You have $numberOfPendingTasks tasks'),
    difference('/body', oldBody, oldBody.replace('Please sign in.', 'Please sign in to the portal.')),
  ],
  requests: [
    {
      method: 'POST',
      path: '/v2025/notification-templates',
      query: {},
      headers: { 'content-type': 'application/json' },
      body: { key: 'work_item_summary', medium: 'EMAIL', locale: 'en', subject: 'You have $n tasks' },
    },
  ],
});

const integrationCreate = change({
  address: 'SimIntegration/ServiceNow',
  action: 'create',
  diff: [
    added('/name', 'ServiceNow'),
    added('/sources', ['2c91', '2c92']),
    { ...added('/attributes/password', null), sensitive: true },
    added('/statusMap', {
      closed_complete: 'Committed',
      closed_cancelled: 'Failed',
      open: 'Queued',
      hold: 'Queued',
    }),
  ],
  requests: [
    {
      method: 'POST',
      path: '/v2024/sim-integrations',
      query: { dry: 'a b' },
      headers: { 'X-Service-Experimental': 'true' },
      body: { name: 'ServiceNow', attributes: { $jsonText: { password: { $secret: 'SNOW_PASSWORD' } } } },
    },
  ],
});

export const senderDelete = change({
  address: 'SenderAddress/old%40acme.example',
  action: 'delete',
  id: 'a-1',
  fingerprint: digest,
  source: null,
  risk: ['delete'],
});

const senderCreate = change({
  address: 'SenderAddress/help%40acme.example',
  action: 'create',
  diff: [added('/email', 'help@acme.example')],
  risk: ['sends-mail'],
});

export const lockout = change({
  address: 'AuthProfile/Employees',
  action: 'update',
  id: 'p-1',
  fingerprint: digest,
  diff: [{ ...difference('/offNetwork', false, true), origin: 'both' }],
  risk: ['lockout', 'undoes-tenant-change'],
});

const manual = change({
  address: 'NotificationPreference/approvals',
  action: 'manual',
  diff: [difference('/mediums', ['EMAIL'], ['EMAIL', 'SLACK'])],
  warnings: ['Set the mediums of approvals under Admin > Notifications.'],
});

export const samplePlan = plan([textUpdate, integrationCreate, senderDelete, senderCreate, lockout, manual]);

export const guard: Diagnostic = {
  code: 'too-many-deletes',
  severity: 'error',
  message: 'The plan deletes 12 objects; the environment allows 10.',
  hint: 'Raise it for this run with --max-deletes 12.',
};

export const diagnostics: readonly Diagnostic[] = [
  {
    code: 'unknown-field',
    severity: 'error',
    message: 'Unknown field `subjct`.',
    source: { file: 'config/a.yaml', line: 3, column: 1 },
    excerpt: '3 | subjct: Hello\n  | ^',
    hint: 'Did you mean `subject`?',
    address: 'NotificationTemplate/a/EMAIL/en',
  },
  { code: 'deprecated-kind', severity: 'info', message: 'SimIntegration is deprecated by the vendor.' },
];

export function outcome(
  more: Partial<ChangeResult> & Pick<ChangeResult, 'address' | 'outcome'>,
): ChangeResult {
  return { action: 'update', before: null, after: null, requests: [], error: null, warnings: [], ...more };
}

export function result(changes: readonly ChangeResult[], more: Partial<Result> = {}): Result {
  const count = (name: ChangeResult['outcome']): number =>
    changes.filter((item) => item.outcome === name).length;
  return {
    formatVersion: 1,
    planDigest: digest,
    environment: 'production',
    tenant,
    startedAt: '2025-03-01T10:00:00.000Z',
    endedAt: '2025-03-01T10:00:12.300Z',
    outcome: 'partial',
    summary: {
      done: count('done'),
      failed: count('failed'),
      skipped: count('skipped'),
      notAttempted: count('notAttempted'),
      unknown: count('unknown'),
    },
    changes,
    ...more,
  };
}

export const sampleResult = result([
  outcome({
    address: 'SenderAddress/help%40acme.example',
    action: 'create',
    outcome: 'done',
    after: { email: 'help@acme.example' },
  }),
  outcome({
    address: 'AuthProfile/Employees',
    outcome: 'failed',
    before: { offNetwork: false },
    error: '400 Bad request: offNetwork is not allowed here.',
    requests: [
      {
        method: 'PATCH',
        path: '/v2024/auth-profiles/p-1',
        status: 400,
        trackingId: '7f3c',
        attempts: 2,
        ms: 120,
      },
    ],
  }),
  outcome({ address: 'SenderAddress/old%40acme.example', action: 'delete', outcome: 'skipped' }),
  outcome({
    address: 'NotificationPreference/approvals',
    action: 'manual',
    outcome: 'notAttempted',
    warnings: ['Set the mediums by hand.'],
  }),
  outcome({
    address: 'SimIntegration/ServiceNow',
    action: 'create',
    outcome: 'unknown',
    requests: [
      {
        method: 'POST',
        path: '/v2024/sim-integrations',
        status: null,
        trackingId: null,
        attempts: 1,
        ms: 30_000,
      },
    ],
  }),
]);
