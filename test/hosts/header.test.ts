import { describe, expect, test } from 'vitest';
import { createTestWorld, expectEnd } from '../support/world.ts';

const answers = { badRequest: /400/, forbidden: /403/ } as const;

describe.each(['badRequest', 'forbidden'] as const)(
  'a host that calls the header otherwise: %s',
  (headerMissing) => {
    const sandbox = { variations: { experimentalHeader: 'X-Acme-Experimental', headerMissing } };

    test('is told so, with the setting', async () => {
      const world = await createTestWorld({ sandbox });
      world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
      const { stderr } = await expectEnd(world.run('plan'), 1);
      expect(stderr).toMatch(answers[headerMissing]);
      expect(stderr).toMatch(
        /X-Acme-Experimental: true is required[\s\S]*set\s+`identity\.experimentalHeader`/,
      );
    });

    test('is understood with that setting', async () => {
      const world = await createTestWorld({
        sandbox,
        identity: { experimentalHeader: 'X-Acme-Experimental' },
      });
      world.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
      expect(await world.run('apply --yes')).toMatchObject({ code: 0 });
    });
  },
);
