import { shortenPauses } from '../support/short-pauses.ts';
import { everything, fillTenant, oneAtATime } from './every-kind.ts';
import { tryEverything } from './fault-cases.ts';

shortenPauses();

tryEverything('every kind', {
  options: oneAtATime,
  prepare(world) {
    fillTenant(world.sandbox.state);
    world.declare(everything);
  },
  create: 'create-profile-search',
});
