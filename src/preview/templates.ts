import { sameValue } from '../kinds/field.ts';
import type { TenantState } from '../kinds/live-objects.ts';
import { listedFor, notificationTemplate, type VariableLists } from '../kinds/notifications.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import type { Change, Plan } from '../model/documents.ts';
import { type Diagnostic, interruption, type Source } from '../model/failure.ts';
import { get, isObject, type JsonObject, mapMembers, objectFrom } from '../model/json.ts';
import { markersIn, renderBody, withLiveValue } from '../model/marker.ts';
import { setMember, topName } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import { Renderer } from '../render/renderer.ts';
import { parseMessages, renderTemplate, type Sides } from '../render/template.ts';
import type { Rendered } from '../report/page.ts';
import { toRendered } from './document.ts';
import type { ListedTemplate } from './protocol.ts';

// Templates before and after: those that a project declares, beside the tenant's, and those that a plan changes.

/** A declared template, and the tenant's version if it was read. */
interface PreviewTemplate extends Omit<ListedTemplate, 'place' | 'editor' | 'problems'> {
  readonly source: Source;
  readonly sides: Sides<JsonObject>;
  /** The vendor's default, if it has changed since the template was customised. */
  readonly moved: Sides<JsonObject> | null;
}

export interface Snapshot {
  readonly environment: string;
  /** The project's folder, for links that open an editor. */
  readonly root: string;
  readonly templates: readonly PreviewTemplate[];
  /** The tenant's context attributes; `null` if they were not read. */
  readonly attributes: JsonObject | null;
  readonly listed: VariableLists;
  readonly diagnostics: readonly Diagnostic[];
  /** When the templates were loaded, as an ISO date; `null` if the files have not loaded yet. */
  readonly loadedAt: string | null;
  /** The files have changed since and do not load. */
  readonly isBroken: boolean;
}

/**
 * The declared templates, each with the tenant's version.
 *
 * @param state the tenant's state; `null` offline
 */
export function previewTemplates(
  resources: readonly Resource[],
  state:
    | (Pick<TenantState, 'objects' | 'defaults'> & {
        readonly moved: ReadonlyMap<Address, PreviewTemplate['moved']>;
      })
    | null,
): PreviewTemplate[] {
  const live = new Map(state?.objects.map((object) => [object.address, object]));
  const defaults = new Map(state?.defaults.map((object) => [object.address, object]));
  return resources
    .filter(({ kind }) => kind === notificationTemplate)
    .map((resource): PreviewTemplate => {
      const { address, ensure } = resource;
      const [key = '', medium = '', locale = ''] = resource.key;
      const [customised, standard] = [live.get(address), defaults.get(address)];
      const current = customised ?? standard;
      const isRemoved = ensure === 'absent';
      const secrets = resource.secrets().map(topName);
      // Without declared secrets: the tenant's value may be the secret.
      const before =
        current && mapMembers(current.fields, (value, name) => (secrets.includes(name) ? redacted : value));
      const after = isRemoved
        ? (standard?.fields ?? null)
        : applyDeclared(resource, before, customised !== undefined);
      return {
        address,
        key,
        medium,
        locale,
        source: resource.source(),
        base: state === null ? 'not-read' : customised ? 'tenant' : standard ? 'default' : 'nothing',
        isRemoved,
        differs: state !== null && differs(before ?? {}, after ?? {}),
        sides: { before: before ?? null, after },
        moved: state?.moved.get(address) ?? null,
      };
    });
}

/** The declared fields over the existing ones; fields under `lifecycle.ignore` stay as in the tenant. */
function applyDeclared(
  { fields, lifecycle }: Resource,
  base: JsonObject = {},
  isCustomised: boolean,
): JsonObject {
  const merged = objectFrom([...Object.entries(base), ...Object.entries(fields)]);
  if (!isCustomised) return merged;
  return lifecycle.ignore.reduce((after, at) => withLiveValue(base, after, at), merged);
}

/** True if recipients would see a difference. Secrets are not compared. */
function differs(before: JsonObject, after: JsonObject): boolean {
  return Object.entries(notificationTemplate.fields).some(([name, field]) => {
    const wanted = get(after, name) ?? null;
    return markersIn(wanted, '$secret').length === 0 && !sameValue(field, wanted, get(before, name));
  });
}

/** A longer page is slow to open, and nobody reads it. */
const maxCharacters = 20_000_000;
/** The time limit in milliseconds: each endless template takes its own time limit. */
const maxDuration = 60_000;

/**
 * The notification templates that a plan changes, rendered before and after, by address. What exceeds
 * a limit of size or time is left out. Throws a Failure (exit 130) once the signal aborts.
 *
 * @param attributes the tenant's context; without them sample values are used
 * @param defaults the fields of the vendor's templates that deletes go back to
 */
export async function renderPlanTemplates(
  plan: Plan,
  {
    attributes = null,
    listed,
    defaults,
    renderer,
    signal,
  }: {
    attributes?: JsonObject | null;
    listed?: VariableLists;
    defaults?: ReadonlyMap<Address, JsonObject>;
    renderer?: Renderer;
    signal?: AbortSignal;
  } = {},
): Promise<Readonly<Record<Address, Rendered>>> {
  const changes = plan.changes.filter(
    ({ kind, action }) => kind === 'NotificationTemplate' && action !== 'manual',
  );
  if (changes.length === 0) return {};
  const used = renderer ?? new Renderer();
  const rendered: [Address, Rendered][] = [];
  const end = performance.now() + maxDuration;
  let left = maxCharacters;
  // A template may take its whole time limit.
  const stop = () => used.close();
  signal?.addEventListener('abort', stop);
  try {
    for (const change of changes) {
      if (signal?.aborted || left <= 0 || performance.now() > end) break;
      const fields = sidesOf(change, defaults?.get(change.address));
      if (!fields.before && !fields.after) continue;
      const examples = listed?.get(listedFor(change.key))?.examples ?? {};
      const choice = { from: 'samples', attributes, examples } as const;
      const sides = toRendered(await renderTemplate(used, change.key[1] ?? '', fields, choice));
      left -= [sides, ...sides.further]
        .flatMap(({ before, after }) => [before, after])
        .reduce((sum, side) => sum + (side?.document.length ?? 0), 0);
      rendered.push([change.address, sides]);
    }
    if (signal?.aborted) throw interruption();
  } finally {
    signal?.removeEventListener('abort', stop);
    if (!renderer) used.close();
  }
  return Object.fromEntries(rendered);
}

/**
 * The fields of a NotificationTemplate before and after a planned change. After is the body of its request, or the vendor's
 * default after a delete. Before is the same with every difference reverted. Both are `null` if the plan does not say: for a
 * delete it only has differences from the default.
 *
 * @param base the fields of the vendor's default that a delete goes back to
 */
export function sidesOf(change: Change, base: JsonObject | null = null): Sides<JsonObject> {
  const { action, diff, requests } = change;
  // Only if there is no default, and it had a text, do the differences of a delete hold the whole template.
  const isWhole =
    diff.every(({ after }) => after === null) &&
    diff.some(({ path }) => ['/body', '/slackTemplate', '/teamsTemplate'].includes(path));
  if (action === 'delete' && base === null && !isWhole) return { before: null, after: null };
  const body = requests[0]?.body;
  const sent = isObject(body) ? renderBody(body, (name) => `(secret ${name})`) : null;
  const written = action === 'delete' ? base : sent;
  // Paths lead into JSON that is written as text, such as the blocks of a Slack message.
  const after = isObject(written) ? parseMessages(written) : null;
  // Differences count list items from the end, so they are reverted in the opposite order.
  const reverted = [
    ...diff.filter(({ op }) => op === 'add'),
    ...diff.filter(({ op }) => op !== 'add').reverse(),
  ];
  const before = reverted.reduce<JsonObject>((value, each) => {
    const earlier = each.op === 'add' ? null : each.before;
    return setMember(value, each.path, each.sensitive ? redacted : earlier);
  }, after ?? {});
  return { before, after };
}
