import type { Diagnostic } from '../model/diagnostic.ts';
import type { Change, Plan, Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';

/**
 * Requests that no kind would plan: a plan file comes from outside, and the token goes wherever its requests go.
 * Paths stay within the API, headers are those of the API, nothing can break out of a line.
 */
export function checkRequests(plan: Plan, settings: ApiSettings): Diagnostic[] {
  return plan.changes.flatMap((change) => {
    const reasons = [
      ...wrongCount(change),
      ...change.requests.flatMap((request) => wrongParts(request, settings)),
    ];
    return reasons.map((why): Diagnostic => {
      return {
        code: 'plan-request-refused',
        severity: 'error',
        message: `The plan's requests for ${change.address} are none that tenantctl plans: ${why}.`,
        hint: 'Make a new plan.',
        address: change.address,
      };
    });
  });
}

function wrongCount({ action, requests }: Change): string[] {
  if (action === 'manual') return requests.length === 0 ? [] : ['a manual change has requests'];
  return requests.length > 0 ? [] : ['there is none'];
}

function wrongParts({ method, path, headers }: Request, settings: ApiSettings): string[] {
  const allowed = new Set(['accept', 'content-type', settings.experimentalHeader.toLowerCase()]);
  const foreign = Object.keys(headers).filter((name) => !allowed.has(name.toLowerCase()));
  const broken = Object.values(headers).some((value) => hasControls(value));
  return [
    ...(method === 'GET' ? ['a GET changes nothing'] : []),
    ...(isApiPath(path, settings)
      ? []
      : [`the path ${JSON.stringify(path.slice(0, 200))} is outside the API`]),
    ...foreign.map((name) => `the header ${JSON.stringify(name.slice(0, 100))} is not one of the API`),
    ...(broken ? ['a header holds control characters'] : []),
  ];
}

function isApiPath(path: string, { profileSearchPath }: ApiSettings): boolean {
  const isKnown =
    /^\/v20(24|25)\/./.test(path) || path === profileSearchPath || path.startsWith(`${profileSearchPath}/`);
  return isKnown && /^[\w.~%!$&'()*+,;=:@/-]+$/.test(path) && path.slice(1).split('/').every(isPlainSegment);
}

/** A segment that stays one when a server decodes it and walks it. */
function isPlainSegment(segment: string): boolean {
  try {
    const decoded = decodeURIComponent(segment);
    return (
      segment !== '' &&
      !hasControls(decoded) &&
      decoded.split(/[\\/]/).every((part) => !/^\.{1,2}$/.test(part))
    );
  } catch {
    return false;
  }
}

function hasControls(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
