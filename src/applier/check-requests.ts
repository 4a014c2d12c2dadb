import type { Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { type Naming, needsId, type Operation, operationOf, risksOf, type Said } from '../kinds/operation.ts';
import { canonicalJson } from '../model/json.ts';
import { type Change, type Request, secretsSentBy } from '../model/plan.ts';
import { segmentsOf } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { KindChange } from './find.ts';

/** What the requests of a change are checked against. */
interface Context {
  readonly settings: ApiSettings;
  readonly deletes: Deletes;
}

/** How each request of a delete may name objects: those of all deletes that carry an equal request. */
type Deletes = ReadonlyMap<Request, ReadonlySet<string>>;

/** What the requests of deletes may name. Many deletes may share a request, so it is worked out once for all of them. */
export function namesInDeletes(entries: readonly KindChange[]): Deletes {
  const byText = new Map<string, Set<string>>();
  const byRequest = new Map<Request, Set<string>>();
  const groupOf = (kind: Kind, { method, path, query, body }: Request): Set<string> => {
    const text = canonicalJson([kind.name, method, path, query, body]);
    const group = byText.get(text) ?? new Set();
    byText.set(text, group);
    return group;
  };
  for (const { kind, change } of entries.filter((entry) => entry.change.action === 'delete')) {
    const names = namesOf(kind, change);
    for (const request of change.requests) {
      // In a plan that was just made it is one object; in a file each delete has it again.
      const group = byRequest.get(request) ?? groupOf(kind, request);
      byRequest.set(request, group);
      for (const name of names) group.add(name);
    }
  }
  return byRequest;
}

/**
 * What a change's requests do beyond what it shows (design, section 6): a plan file is untrusted, reviewers read its
 * changes, and its requests carry the token. Each request has to be a call of the change's kind for its action, to its
 * object and to no other, and every field that it sets has to be among the differences.
 */
export function wrongRequests({ kind, change }: KindChange, context: Context): string[] {
  const { action, requests } = change;
  if (action === 'manual') return requests.length === 0 ? [] : ['a manual change has requests'];
  if (requests.length === 0) return ['there is none'];
  const operations = kind.operations[action];
  const called = requests.map((request) => findOperation(operations, request, change, context));
  const wrong = requests.flatMap((request, at) =>
    wrongParts(request, called[at] ?? null, { kind, change }, context),
  );
  if (wrong.length > 0) return wrong;
  const isRepeated = new Set(called).size < called.length;
  const isSecret = (change.secrets ?? []).length > 0 || change.diff.some(({ sensitive }) => sensitive);
  const secrets = isSecret ? [] : secretsSentBy(change);
  const unshown = risksOf(operations, change, context.settings).filter((risk) => !change.risk.includes(risk));
  return [
    ...(isRepeated ? ['one of them is sent twice'] : []),
    ...secrets.map((name) => `the change shows no secret, and ${quote(name)} is sent`),
    ...unshown.map((risk) => `the change does not show its risk ${quote(risk)}`),
  ];
}

/** `null` for a call that the kind does not make for this action and object. */
function findOperation(
  operations: readonly Operation[],
  request: Request,
  { id }: Change,
  { settings }: Context,
): Operation | null {
  try {
    return operationOf(operations, request, id, settings);
  } catch {
    // The id cannot stand in a path.
    return null;
  }
}

function wrongParts(
  request: Request,
  operation: Operation | null,
  entry: KindChange,
  context: Context,
): string[] {
  const { method, path, query } = request;
  const { action, address } = entry.change;
  if (!operation) return [`${method} ${quote(path)} is not a call of the API to ${action} ${address}`];
  const hasQuery = Object.keys(query).length > 0;
  return [
    ...wrongHeaders(request, operation, context.settings),
    ...(hasQuery ? [`${method} ${quote(path)} has query parameters`] : []),
    ...wrongBody(request, operation, entry, context),
  ];
}

function wrongHeaders(
  { headers, body }: Request,
  { contentType = 'application/json' }: Operation,
  { experimentalHeader }: ApiSettings,
): string[] {
  const allowed = new Set(['accept', 'content-type', experimentalHeader.toLowerCase()]);
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!allowed.has(name.toLowerCase())) return [`the header ${quote(name)} is not one of the API`];
    if (/\p{Cc}/u.test(value)) return ['a header has control characters'];
    const isForeign = name.toLowerCase() === 'content-type' && (body === null || value !== contentType);
    return isForeign ? [`its body is sent as ${quote(value)}`] : [];
  });
}

function wrongBody(request: Request, operation: Operation, entry: KindChange, context: Context): string[] {
  const { method, path, body } = request;
  const call = `${method} ${quote(path)}`;
  if (!operation.read) return body === null ? [] : [`${call} has a body`];
  const said = operation.read(body);
  if (!said) return [`the body of ${call} is not one of this call`];
  const isInPath = said.objects.length === 0 && needsId(operation);
  const wrong = isInPath ? null : wrongObjects(said, entry, context.deletes.get(request));
  return [...(wrong === null ? [] : [`${call} ${wrong}`]), ...wrongFields(said, entry.change)];
}

/**
 * How a body names other objects than that of the change; `null` where it does not.
 *
 * @param others what else it may name: the objects of other deletes that the same call makes
 */
function wrongObjects(
  { objects }: Said,
  { kind, change }: KindChange,
  others: ReadonlySet<string> = new Set(),
): string | null {
  const own = new Set(namesOf(kind, change));
  const names = objects.map((naming) => nameFrom(kind, naming));
  const foreign = objects.find((_, at) => !own.has(names[at] ?? '') && !others.has(names[at] ?? ''));
  if (foreign) return `names another object, ${quote(foreign.key.join('/'))}`;
  return names.some((name) => own.has(name)) ? null : 'does not name it';
}

/** Equal for namings of the same object by the same means. */
const nameFrom = (kind: Kind, { key, id }: Naming): string => JSON.stringify([identityOf(kind, key), id]);

/** The ways to name the object of a change. */
const namesOf = (kind: Kind, { key, id }: Change): string[] =>
  [id, null].map((said) => nameFrom(kind, { key, id: said }));

function wrongFields({ fields }: Said, { action, diff }: Change): string[] {
  if (action !== 'update' || fields === null) return [];
  const shown = new Set(diff.map(({ path }) => segmentsOf(path)[0]));
  const unshown = [...new Set(fields)].filter((name) => !shown.has(name));
  return unshown.map((name) => `it changes ${quote(name)}, which is not among the differences`);
}

/** Text of a plan for a message. */
export const quote = (text: string): string => JSON.stringify(text.slice(0, 200));
