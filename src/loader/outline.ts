import { findKind } from '../kinds/index.ts';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';
import type { Lifecycle, Resource } from '../model/resource.ts';

/** What a sound manifest says besides its fields. */
export type Outline = Pick<Resource, 'kind' | 'key' | 'id' | 'ensure' | 'lifecycle'>;

/** The lifecycle of a manifest that says nothing about it. */
export const plainLifecycle: Lifecycle = {
  protect: false,
  ignore: [],
  renamedFrom: null,
  allowLockout: false,
};

/** An outline in JSON, for {@link outlineFrom}. */
export function outlineJson({ kind, key, id, ensure, lifecycle }: Outline): JsonObject {
  return {
    kind,
    key,
    ...(id !== null && { id }),
    ...(ensure === 'absent' && { ensure }),
    ...(lifecycle !== plainLifecycle && { lifecycle: { ...lifecycle } }),
  };
}

/** The outline that {@link outlineJson} has written; `null` where it is none. */
export function outlineFrom(json: Json): Outline | null {
  if (!isObject(json)) return null;
  const [kind, key, written] = [textOf(json, 'kind'), textsOf(own(json, 'key')), own(json, 'lifecycle')];
  const lifecycle = written === undefined ? plainLifecycle : lifecycleFrom(written);
  if (kind === null || !findKind(kind) || !key || !lifecycle) return null;
  const ensure = own(json, 'ensure') === 'absent' ? 'absent' : 'present';
  return { kind, key, id: textOf(json, 'id'), ensure, lifecycle };
}

function lifecycleFrom(json: Json): Lifecycle | null {
  if (!isObject(json)) return null;
  const { protect, allowLockout } = json;
  const ignore = textsOf(own(json, 'ignore'));
  const renamedFrom = json.renamedFrom === null ? null : textsOf(own(json, 'renamedFrom'));
  if (typeof protect !== 'boolean' || typeof allowLockout !== 'boolean' || !ignore) return null;
  return renamedFrom === undefined ? null : { protect, ignore, renamedFrom, allowLockout };
}

function textsOf(json: Json | undefined): readonly string[] | undefined {
  return isArray(json) && json.every((item) => typeof item === 'string') ? json : undefined;
}
