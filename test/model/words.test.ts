/** The words that plans and results may use are listed twice, in the types and in the schemas: the two agree. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { actions, planFormat } from '../../src/model/plan.ts';
import { valueAt } from '../../src/model/pointer.ts';
import { changeOutcomes, exitCodeOf, resultFormat } from '../../src/model/result.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { verifications, verifiedKinds } from '../../src/model/status.ts';

const inSchema = (file: string, at: string) =>
  valueAt(
    JSON.parse(readFileSync(new URL(`../../schemas/${file}.schema.json`, import.meta.url), 'utf8')),
    at,
  );

it('in plans', () => {
  expect(actions).toEqual(inSchema('plan', '/$defs/change/properties/action/enum'));
  expect(planFormat).toBe(inSchema('plan', '/properties/formatVersion/const'));
});

it('in results', () => {
  expect(changeOutcomes).toEqual(inSchema('result', '/$defs/change/properties/outcome/enum'));
  expect(actions).toEqual(inSchema('result', '/$defs/change/properties/action/enum'));
  expect(resultFormat).toBe(inSchema('result', '/properties/formatVersion/const'));
  const outcomes = ['done', 'partial', 'interrupted', 'refused'] as const;
  expect(inSchema('result', '/properties/outcome/enum')).toEqual(outcomes);
  for (const outcome of outcomes) expect(exitCodeOf({ outcome })).toBeTypeOf('number');
});

it('in a status, in the order of a mail set-up', () => {
  expect(verifiedKinds).toEqual(['VerifiedDomain', 'MailFrom', 'SenderAddress']);
  expect(verifications).toEqual(['verified', 'not-needed', 'pending', 'failed', 'absent', 'unknown']);
});

it('in settings: an environment that says nothing has the documented API', () => {
  expect(contractSettings).toMatchObject({
    experimentalHeader: 'X-Service-Experimental',
    jsonText: 'text',
    simUpdate: 'patch',
    simPatchBody: 'operations',
    simPatchOps: 'all',
    profileSearchPath: '/api/advanced_search',
    profileSearchDelete: false,
    profileSearchObjectType: 'object_type',
    dkimSuffix: 'dkim.amazonses.com',
  });
});
