import { sameValue } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import type { TenantState } from '../kinds/live-objects.ts';
import { notificationTemplate } from '../kinds/notifications.ts';
import type { Resource } from '../kinds/resource.ts';
import type { VariableLists } from '../kinds/template-variables.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic, Source } from '../model/diagnostic.ts';
import { get, type JsonObject, mapMembers, objectFrom } from '../model/json.ts';
import { markersIn, withLiveValue } from '../model/marker.ts';
import { redacted } from '../model/sensitive.ts';
import type { Sides } from '../render/template.ts';
import type { ListedTemplate } from './protocol.ts';

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
      const { address, ensure, fields } = resource;
      const [key = '', medium = '', locale = ''] = resource.key;
      const [customised, standard] = [live.get(address), defaults.get(address)];
      const current = customised ?? standard;
      const isRemoved = ensure === 'absent';
      const after = isRemoved ? (standard?.fields ?? null) : applyDeclared(resource, customised, current);
      // Without declared secrets: the tenant's value may be the secret.
      const before =
        current &&
        mapMembers(current.fields, (value, name) =>
          markersIn(get(fields, name) ?? null, '$secret').length > 0 ? redacted : value,
        );
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
  live: LiveObject | undefined,
  base: LiveObject | undefined,
): JsonObject {
  const merged = objectFrom([...Object.entries(base?.fields ?? {}), ...Object.entries(fields)]);
  if (!live) return merged;
  return lifecycle.ignore.reduce((after, at) => withLiveValue(live.fields, after, at), merged);
}

/** True if recipients would see a difference. Secrets are not compared. */
function differs(before: JsonObject, after: JsonObject): boolean {
  return Object.entries(notificationTemplate.fields).some(([name, field]) => {
    const wanted = get(after, name) ?? null;
    return markersIn(wanted, '$secret').length === 0 && !sameValue(field, wanted, get(before, name));
  });
}
