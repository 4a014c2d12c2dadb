import { shortenPauses } from '../support/short-pauses.ts';
import { everyKind, tryEverything } from './fault-cases.ts';

shortenPauses();

tryEverything('every kind', everyKind);
