import { kindNamed } from '../../kinds/index.ts';
import { identityOf } from '../../kinds/live.ts';
import type { LiveObject } from '../../model/live.ts';
import type { Resource } from '../../model/resource.ts';

/** Which live object each resource declares, and the objects that nobody declares. */
export interface Matches {
  readonly liveOf: ReadonlyMap<Resource, LiveObject>;
  readonly undeclared: readonly LiveObject[];
}

/** By the pinned id, by the key, or by the key it is about to be renamed from. */
export function matchObjects(resources: readonly Resource[], objects: readonly LiveObject[]): Matches {
  const byIdentity = new Map(
    objects.map((object) => [identityOf(kindNamed(object.kind), object.key), object]),
  );
  const byId = new Map(objects.map((object) => [`${object.kind}/${object.id}`, object]));
  const liveOf = new Map<Resource, LiveObject>();
  for (const resource of resources) {
    const kind = kindNamed(resource.kind);
    const { renamedFrom } = resource.lifecycle;
    const live =
      resource.id === null
        ? (byIdentity.get(identityOf(kind, resource.key)) ??
          (renamedFrom && byIdentity.get(identityOf(kind, renamedFrom))))
        : byId.get(`${resource.kind}/${resource.id}`);
    if (live) liveOf.set(resource, live);
  }
  const declared = new Set(liveOf.values());
  return { liveOf, undeclared: objects.filter((object) => !declared.has(object)) };
}
