/** A plan of 900 changes, of which three matter, and what a comment about it has to say. */
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { addObjects } from '../support/tenant-objects.ts';

/** Gives a tenant what the changes that matter are about. */
export function prepareForLongPlan({ state }: Sandbox): void {
  addObjects(state, {
    authProfiles: [{ id: 'a-1', name: 'Vendors', type: 'MFA' }],
    preferences: [{ key: 'sod_report', mediums: ['EMAIL'] }],
    senders: [{ email: 'old@acme.example' }, { email: 'other@acme.example' }],
  });
}

/** The manifests of the plan. What matters is last. */
export function longPlanManifests(): string {
  const harmless = Array.from(
    { length: 897 },
    (_, at) => `---\nkind: VerifiedDomain\ndomain: team-${at}.acme.example\n`,
  );
  const risks = `---
kind: AuthProfile
name: Vendors
offNetwork: true
lifecycle: { allowLockout: true }
---
kind: SenderAddress
email: old@acme.example
ensure: absent
---
kind: NotificationPreference
key: sod_report
mediums: [TEAMS]
`;
  return [...harmless, risks].join('');
}

/** What matters is first in a list and then change by change, and the comment says how much is not shown. */
export function expectWhatMatters(comment: string, { tenants }: { readonly tenants: number }): void {
  const counted = (one: string, several: string) => (tenants === 1 ? `1 ${one}` : `${tenants} ${several}`);
  for (const [words, address] of [
    [counted('lock-out', 'lock-outs'), 'AuthProfile/Vendors'],
    [counted('delete', 'deletes'), 'SenderAddress/old@acme.example'],
    [counted('step by hand', 'steps by hand'), 'NotificationPreference/sod_report'],
  ]) {
    expect(comment).toMatch(new RegExp(`^\\| [^|]+ \\| \\*\\*${words}\\*\\* \\|.*${address}`, 'm'));
    expect(comment).toMatch(new RegExp(`^<details><summary>.*${address}`, 'm'));
  }
  expect(comment).toMatch(/Not shown: \d+ VerifiedDomain, to create/);
  expect(comment).toMatch(/\nDigest: `sha256:[0-9a-f]{64}`(?:\s|$)/);
}
