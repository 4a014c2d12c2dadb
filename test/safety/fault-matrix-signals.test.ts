import { describe } from 'vitest';
import { isThorough } from '../support/effort.ts';
import { startProgram } from '../support/program.ts';
import { shortenPauses } from '../support/short-pauses.ts';
import { everyKind, ownKinds, trySignals } from './fault-cases.ts';

shortenPauses();

trySignals('every kind', everyKind, startProgram);
describe.runIf(isThorough)("kinds of a project's own", () =>
  trySignals("kinds of a project's own", ownKinds, startProgram),
);
