import type { Sent } from '../client/answer.ts';
import type { Address } from '../model/address.ts';
import type { Request } from '../model/plan.ts';
import { isRepeatable } from '../model/repeatable.ts';
import type { Found } from './find.ts';
import type { Verdict } from './journal-records.ts';
import type { Task } from './preflight.ts';
import { type Evidence, judgeEffect } from './readiness.ts';
import type { RunContext } from './run-context.ts';

/** One request of a change, or of several changes that share it. */
export interface Step {
  readonly tasks: readonly Task[];
  readonly request: Request;
  /** The number of the request in its change, from 0. */
  readonly index: number;
  /** The fingerprints of the objects just before; `null` for an object that does not exist. */
  readonly before: ReadonlyMap<Address, string | null>;
  /** When the objects were read too long ago to rely on; `null`: never. In milliseconds since 1970. */
  readonly notAfter: number | null;
}

/** The outcome of a request for one of its changes. `open`: it may still show. */
export interface Reply {
  readonly is: 'accepted' | 'rejected' | 'unknown' | 'open';
  /** Why it is not accepted, or how that is known. */
  readonly remark: string | null;
}

/** Whether no other request of the changes follows. */
export const isLast = ({ tasks, index }: Step) =>
  tasks.every(({ change }) => index >= change.requests.length - 1);

/**
 * Whether the request may be carried out twice: the tenant may have started on it, and show its effect later. A second
 * create of most kinds, or a second record in a list, would stay.
 */
export function isSafeTwice({ tasks, request }: Step): boolean {
  return tasks.every((task) => mayHappenTwice(task, request));
}

function mayHappenTwice({ kind, change }: Task, request: Request): boolean {
  switch (change.action) {
    case 'create':
      return kind.can.create !== 'duplicates';
    case 'update':
      return isRepeatable(request) || (request.method === 'POST' && kind.can.create === 'replaces');
    case 'delete':
    case 'manual':
      return true;
  }
}

/** What is known of one change by an answer that does not show the outcome, and by its object. */
interface Inference {
  readonly step: Step;
  readonly task: Task;
  readonly answer: Sent;
  readonly evidence: Evidence;
}

/** What the live object shows about the request of a step. */
export function evidenceOf(
  { index, before }: Step,
  task: Task,
  { live, others }: Found,
  { secrets }: Pick<RunContext, 'secrets'>,
): Evidence {
  if (others.length > 0) return 'unclear';
  return judgeEffect(task, index, { before: before.get(task.change.address) ?? null, live }, secrets);
}

/** Records in the journal what is known now, and puts it into words. */
export async function concludeFrom(
  inference: Inference,
  { journal, now, describe }: RunContext,
): Promise<Reply> {
  const { step, task, answer, evidence } = inference;
  const { method, path } = step.request;
  const record = (verdict: Verdict) =>
    journal.conclude(
      step.index,
      { changes: [task.change.address], verdict, status: statusOf(answer) },
      now(),
    );
  const description = describe(answer);
  switch (evidence) {
    case 'taken': {
      await record('done');
      const remark = `${method} ${path} was not confirmed. ${description} The object was looked up and is as planned.`;
      return { is: 'accepted', remark };
    }
    case 'notTaken': {
      if (answer.outcome !== 'answered' || !isSafeTwice(step)) {
        const advice = isSafeTwice(step)
          ? ''
          : ' It was not sent again, since it could be carried out twice.';
        return {
          is: 'unknown',
          remark: `${description} The object was looked up and is as before.${advice}`,
        };
      }
      await record('refused');
      return { is: 'rejected', remark: description };
    }
    case 'unclear': {
      const remark = `${description} The object was looked up and is neither as before nor as planned.`;
      return { is: 'unknown', remark };
    }
  }
}

/** The status of an answer; `null` where none came. */
export const statusOf = (answer: Sent): number | null =>
  answer.outcome === 'answered' ? answer.status : null;
