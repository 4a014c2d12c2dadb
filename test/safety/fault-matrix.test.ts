import { describe } from 'vitest';
import { describedManifests, describedWorld } from './described-kinds.ts';
import { everything, fillTenant, oneAtATime } from './everything.ts';
import { tryEverything } from './matrix.ts';

describe('whatever happens to one request of an apply, one more apply at most makes it good', () => {
  tryEverything('every kind', {
    options: oneAtATime,
    prepare(world) {
      fillTenant(world.sandbox.state);
      world.declare(everything);
    },
    create: 'create-profile-search',
  });

  tryEverything("kinds of a project's own", {
    options: describedWorld,
    prepare: (world) => world.write('config/all.yaml', describedManifests),
    create: 'create-role',
  });
});
