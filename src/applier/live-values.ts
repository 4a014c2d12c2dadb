import { readableFields } from '../kinds/field.ts';
import { failure } from '../model/failure.ts';
import type { LiveObject } from '../model/live.ts';
import { fillLive } from '../model/marker.ts';
import type { Request } from '../model/plan.ts';
import { valueAt } from '../model/pointer.ts';
import type { KindChange } from './find.ts';

/**
 * The request with the values that stay as they are, which a plan never holds, from the object as it was just read.
 * Throws a Failure for a place that the object does not have: no plan that tenantctl makes names one.
 */
export function withLiveValues(
  { kind, change }: KindChange,
  request: Request,
  live: LiveObject | null,
): Request {
  const fields = readableFields(kind, live?.fields ?? {});
  const body = fillLive(request.body, (at) => {
    const value = valueAt(fields, at);
    if (value !== undefined) return value;
    throw failure('live-value-missing', `${change.address} has nothing at ${JSON.stringify(at)}.`);
  });
  return { ...request, body };
}
