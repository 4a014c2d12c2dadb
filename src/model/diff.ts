import type { Address, Key } from './address.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { TenantName } from './network.ts';
import type { Change, Difference, Scope } from './plan.ts';
import type { Pointer } from './pointer.ts';

/** The format of `diff --format json`; schemas/diff.schema.json describes it. */
export const diffFormat = 1;

export interface DiffSide {
  /** An environment, `manifests of ENVIRONMENT`, or a path. */
  readonly name: string;
  readonly is: 'tenant' | 'manifests';
  /** The base URLs of a tenant; `null` for manifests. */
  readonly tenant: TenantName | null;
}

/** One difference: `before` is what the first side has, `after` what the second one has. */
export type SideDifference = Pick<Difference, 'path' | 'op' | 'before' | 'after' | 'sensitive' | 'named'>;

/** An object that differs, or that only one of the sides has. */
export interface DiffObject {
  readonly address: Address;
  readonly kind: string;
  readonly key: Key;
  readonly in: 'both' | 'first' | 'second';
  /** Where a manifest declares it, on the second side or else on the first. */
  readonly source: Change['source'];
  /** Empty where only one of the sides has the object. */
  readonly diff: readonly SideDifference[];
}

/** The values of an object that one of the sides does not show, or whose secret is not set. */
export interface NotCompared {
  readonly address: Address;
  readonly paths: readonly Pointer[];
}

/** The number of objects that both sides have and that differ, and so on. */
export interface DiffSummary {
  readonly differing: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly equal: number;
  /** Objects with values that could not be compared, differing or not. */
  readonly notComparable: number;
}

/** The differences between two sides, in the terms of manifests (design, section 8). */
export interface Diff {
  readonly formatVersion: typeof diffFormat;
  readonly tool: { readonly name: string; readonly version: string };
  readonly createdAt: string;
  readonly sides: readonly [DiffSide, DiffSide];
  readonly scope: Pick<Scope, 'only' | 'except'> & { readonly kinds: readonly string[] };
  readonly summary: DiffSummary;
  /** Sorted by kind and address. Equal objects are counted only. */
  readonly objects: readonly DiffObject[];
  readonly notComparable: readonly NotCompared[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Values that could not be compared do not count. */
export function differs({ objects }: Pick<Diff, 'objects'>): boolean {
  return objects.length > 0;
}
