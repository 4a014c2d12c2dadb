import { type ChangedSearch, readImpacts } from '../client/impact.ts';
import { declaredRules, profileSearch } from '../kinds/profile-search.ts';
import { runRules } from '../kinds/run-search.ts';
import { type JsonObject, objectFrom } from '../model/json.ts';
import type { LiveName, LiveObject, TenantState } from '../model/live.ts';
import { literal } from '../model/marker.ts';
import type { Change, Plan } from '../model/plan.ts';
import { isWithin, pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import type { ApiSettings } from '../model/settings.ts';
import { type Kept, wholeObject } from '../planner/index.ts';
import type { Tenant } from './tenant.ts';

/** What a plan was computed from. */
interface Planned {
  readonly state: TenantState<Kept>;
  /** The resources with their lookups filled. */
  readonly resources: readonly Resource[];
}

/**
 * The plan with what each changed profile search finds before and after; its digest stays. Sends at most `requests`
 * requests, which read. Throws a Failure only when interrupted.
 */
export async function withImpact(
  plan: Plan,
  { client, environment }: Tenant,
  planned: Planned,
  requests: number,
): Promise<Plan> {
  const changed = plan.changes.filter(changesRules);
  const searches = changed.map((change) => searchOf(change, planned, environment.settings));
  const impacts = await readImpacts(client, searches, requests);
  const impactOf = new Map(changed.map((change, at) => [change, impacts[at]]));
  const changes = plan.changes.map((change) => {
    const impact = impactOf.get(change);
    return impact ? { ...change, impact } : change;
  });
  return { ...plan, changes };
}

/** A search that only gets another label finds whom it found. */
function changesRules({ kind, action, diff }: Change): boolean {
  if (kind !== profileSearch.name) return false;
  return (
    action === 'create' || action === 'delete' || diff.some(({ path }) => isWithin(path, pointer('rules')))
  );
}

function searchOf(change: Change, { state, resources }: Planned, settings: ApiSettings): ChangedSearch {
  const live = state.objects.find((object) => isObjectOf(change, object));
  const declared = resources.find(
    ({ address, ensure }) => address === change.address && ensure === 'present',
  );
  return {
    label: change.key[0] ?? '',
    before: live ? runRules(liveRules(wholeObject(live)), settings) : null,
    after: declared ? runRules(declared.fields, settings) : null,
  };
}

function isObjectOf({ kind, id, address }: Change, object: LiveName): boolean {
  return object.kind === kind && (id === null ? object.address === address : object.id === id);
}

/** The rules in the tenant; nothing in them can pass for a marker. */
function liveRules({ fields }: LiveObject): JsonObject {
  const rules = declaredRules(fields).map((rule) =>
    objectFrom(Object.entries(rule).map(([name, value]) => [name, literal(value)])),
  );
  return { rules };
}
