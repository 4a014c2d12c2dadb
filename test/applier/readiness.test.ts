import { describe, expect, it } from 'vitest';
import type { FoundObjects } from '../../src/applier/find.ts';
import type { Journal } from '../../src/applier/journal.ts';
import { judgeEffect, readinessOf } from '../../src/applier/verify.ts';
import type { Change } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { secretsOf } from '../support/plan.ts';
import { createThing, deleteThing, objectOf, thing, updateThing } from './things.ts';

const old = { id: 't1', name: 'old', text: 'before' };
const made = { ...old, text: 'after' };
const theirs = { ...old, text: 'theirs' };
const live = (raw: JsonObject | null) => (raw === null ? null : objectOf(thing, raw));
const mark = (raw: JsonObject | null) => live(raw)?.fingerprint() ?? null;

const one = updateThing(old, 'after');
const two = updateThing(old, 'after', 'r');
const remove = deleteThing(old);
const create = createThing('old', { text: 'after' });
const [deletion, creation] = [...remove.requests, ...create.requests];
const replace: Change = {
  ...one,
  requests: [deletion, creation].filter((each) => each !== undefined),
  risk: ['replace'],
};

const half = { ...old, text: 'after' };
const whole = { ...half, rule: 'r' };
it.each<[string, Change, number, JsonObject | null, JsonObject | null, string]>([
  ['an object as it was', one, 0, old, old, 'notTaken'],
  ['an object as planned', one, 0, old, made, 'taken'],
  ['an object of somebody else', one, 0, old, theirs, 'unclear'],
  ['no object, as before', create, 0, null, null, 'notTaken'],
  ['a new object', create, 0, null, made, 'taken'],
  ['another new object', create, 0, null, theirs, 'unclear'],
  ['an object that is gone', remove, 0, old, null, 'taken'],
  ['an object that is still there', remove, 0, old, old, 'notTaken'],
  ['an object that is another now', remove, 0, old, theirs, 'unclear'],
  ['the first of two requests', two, 0, old, half, 'taken'],
  ['the first of two requests, where the second one was lost', two, 1, old, half, 'notTaken'],
  ['both of two requests', two, 1, half, whole, 'taken'],
  ['neither of two requests', two, 0, old, theirs, 'unclear'],
  ['an object that is gone, and was to be changed', one, 0, old, null, 'unclear'],
  ['an object that is gone, and will be made again', replace, 0, old, null, 'taken'],
  ['an object that is still there, and shows what was written before', replace, 0, made, old, 'notTaken'],
  ['an object that somebody made again', replace, 0, old, { ...made, id: 't2' }, 'unclear'],
  ['an object that was made again', replace, 1, null, { ...made, id: 't2' }, 'taken'],
  ['an object that was made again as it was', replace, 1, null, { ...old, id: 't2' }, 'taken'],
])(
  'what an object shows of a request without an answer %s',
  (_name, planned, request, before, after, expected) => {
    const step = { index: request, before: new Map([[planned.address, mark(before)]]) };
    const found = { live: live(after), others: [] };
    expect(judgeEffect({ kind: thing, change: planned }, step, found, secretsOf({}))).toBe(expected);
  },
);

type State = 'intended' | 'done' | 'refused' | 'unclear';
interface Known {
  readonly live?: JsonObject | null;
  /** What the journal has of the first requests, each with the object before it. */
  readonly sent?: readonly (readonly [State, JsonObject | null])[];
  readonly unmet?: readonly string[];
}

function readyFor(planned: Change, { live: raw = old, sent, unmet }: Known): unknown {
  const found: FoundObjects = { live: live(raw), others: [], standard: null };
  const requests = new Map(
    (sent ?? []).map(([state, before], at) => [at, { state, before: mark(before), at: '' }]),
  );
  const { address } = planned;
  const settled = unmet ? ({ type: 'settled', at: '', change: address, unmet, after: null } as const) : null;
  const progress: ReturnType<Journal['progress']> = sent ? { requests, settled } : null;
  const readiness = readinessOf({ kind: thing, change: planned }, found, progress, secretsOf({}));
  return readiness.is === 'stale' ? readiness.why : [readiness.from, readiness.resumed];
}

it('a change is stale where two objects have its key, and says how many there are', () => {
  const found = { live: live(old), others: [objectOf(thing, made), objectOf(thing, theirs)], standard: null };
  expect(readinessOf({ kind: thing, change: one }, found, null, secretsOf({}))).toEqual({
    is: 'stale',
    why: 'the tenant has 3 objects with this key',
  });
});

describe('a change that an earlier run began', () => {
  const changedSince = 'an earlier run of this plan made the change, and the object has changed since';
  const different = 'its content is different now';
  const half = { ...old, text: 'after' };
  it.each<[string, Change, Known, unknown]>([
    ['is finished where all was sent and shows', one, { live: made, sent: [['done', old]] }, [1, true]],
    ['is stale where somebody changed it since', one, { live: theirs, sent: [['done', old]] }, changedSince],
    ['is stale where somebody deleted it since', one, { live: null, sent: [['done', old]] }, changedSince],
    [
      'is finished where the tenant is known to ignore the rest',
      one,
      { live: old, sent: [['done', old]], unmet: ['/text'] },
      [1, true],
    ],
    ['sends again what was accepted and did nothing', one, { sent: [['done', old]] }, [0, true]],
    ['sends a create again that nobody saw', create, { live: null, sent: [['done', null]] }, [0, true]],
    ['is stale where what was seen was undone', one, { sent: [['done', old]], unmet: [] }, changedSince],
    ['begins again after a refusal', one, { sent: [['refused', old]] }, [0, true]],
    ['begins again after a refusal, as the plan has it', one, { sent: [['refused', theirs]] }, [0, false]],
    ['is stale where another object was refused', one, { live: theirs, sent: [['refused', old]] }, different],
    [
      'is stale after a refusal where another field is another, though its own are as they were',
      one,
      { live: { ...old, rule: 'theirs' }, sent: [['refused', old]] },
      different,
    ],
    ['goes on with the second request', two, { live: half, sent: [['done', old]] }, [1, true]],
    [
      'goes on with the second request, which was refused',
      two,
      {
        live: half,
        sent: [
          ['done', old],
          ['refused', half],
        ],
      },
      [1, true],
    ],
    [
      'does not send again what a second run sent after that of which nothing is known',
      replace,
      {
        live: made,
        sent: [
          ['intended', old],
          ['done', null],
        ],
      },
      [2, true],
    ],
    ['is stale where it was changed in between', two, { live: theirs, sent: [['done', old]] }, different],
    ['sends again what had no effect', one, { sent: [['unclear', old]] }, [0, true]],
    ['sends again what was only intended', one, { sent: [['intended', old]] }, [0, true]],
    ['does not send again what shows', one, { live: made, sent: [['unclear', old]] }, [1, true]],
    ['goes on after what shows', two, { live: half, sent: [['unclear', old]] }, [1, true]],
    ['is stale where it is neither of both', one, { live: theirs, sent: [['unclear', old]] }, different],
    [
      'is stale where it is as the plan knew it, and another than before the request',
      one,
      { live: old, sent: [['unclear', theirs]] },
      'an earlier run of this plan left it half changed',
    ],
  ])('%s', (_name, planned, known, expected) => expect(readyFor(planned, known)).toEqual(expected));
});
