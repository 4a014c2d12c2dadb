import { describe } from 'vitest';
import { isThorough } from '../support/effort.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { ownKinds, tryEverything } from './fault-cases.ts';

shortenPauses();

// A file of its own, so that a second worker takes it.
describe.runIf(isThorough)("kinds of a project's own", () =>
  tryEverything("kinds of a project's own", ownKinds),
);
