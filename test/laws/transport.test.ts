import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Content, fill, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { createTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import { expectEnd, setSecrets } from '../support/world.ts';

/** A tenant in which each template has a default, with the texts of another template. */
const withDefaults = tenantContent.map((content): Content => {
  const { templates } = content;
  const texts = (at: number) => (templates[at + 1] ?? templates[0])?.texts;
  const defaults = templates.map((template, at) => ({ ...template, texts: texts(at) ?? template.texts }));
  return { ...content, defaults };
});

/** What no apply can make: it is in both tenants. */
const given = (content: Content): Content => ({
  ...content,
  templates: [],
  integrations: [],
  senders: [],
  domains: [],
  mailFrom: [],
  searches: [],
});

async function transport({ test, production, env, run }: TwoTenants, content: Content): Promise<void> {
  fill(test.sandbox.state, content);
  fill(production.sandbox.state, given(content));
  await expectEnd(run('export -e test'), 0);
  if (!existsSync(`${test.dir}/config`)) return;
  setSecrets({ ...test, env });
  await expectEnd(run('apply -e production --yes'), 0);
  const { stdout, stderr } = await run('diff test production --format json');
  expect(JSON.parse(stdout).objects, stderr).toEqual([]);
}

it('what is exported from a tenant and applied to an empty one is the same in both', async () => {
  await fc.assert(
    fc.asyncProperty(withDefaults, async (content) => {
      await using two = await createTwoTenants();
      await transport(two, content);
    }),
    { numRuns: runs(50) },
  );
});
