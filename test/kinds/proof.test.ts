/** When a kind of a project's own counts as checked. */
import { describe, expect, it } from 'vitest';
import { descriptorDigest, proofOf } from '../../src/kinds/descriptor.ts';

const descriptor = { kind: 'Role', summary: 'Roles.', path: '/v2025/roles', key: 'name' };
const proven = (document = descriptor) => ({ ...document, proven: descriptorDigest(document) });

const noticeOf = (document: Parameters<typeof proofOf>[1]) => proofOf('Role', document).notice;

describe('a descriptor', () => {
  it('that was checked is proven, whatever words it has for people', () => {
    expect(noticeOf(proven())).toBeUndefined();
    expect(noticeOf({ ...proven(), summary: 'Other words.' })).toBeUndefined();
  });

  it('that was never checked is not, and the notice says how to check it', () => {
    expect(noticeOf(descriptor)).toEqual({
      code: 'kind-unproven',
      severity: 'warning',
      message: 'Role is unproven',
      hint: 'Run `tenantctl kind check Role --write`, which only reads the tenant.',
    });
  });

  it.each([
    { path: '/v2025/other' },
    { update: 'put' },
    { proven: 'sha256:0' },
    { proven: 'sha256:0', key: 'alias' },
  ])('that has changed since to %j is not any more', (more) => {
    expect(noticeOf({ ...proven(), ...more })).toMatchObject({
      message: 'Role is unproven: its descriptor has changed since it was checked',
    });
  });
});
