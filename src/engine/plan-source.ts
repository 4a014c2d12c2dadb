import type { LookupAnswers } from '../client/lookups.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import type { UsedLookup } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import type { JsonObject } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { PlanInput } from '../planner/input.ts';
import type { MovedDefault } from '../planner/moved-defaults.ts';
import type { Planned } from './lint.ts';

/** Where the desired state comes from: the manifests, or the result of an apply that is rolled back. */
export interface PlanSource {
  /** The live objects to compare the desired state with. */
  readonly requests: readonly ReadRequest[];
  readonly lookups: readonly UsedLookup[];
  /** Whether an object that it does not name is undeclared. A rollback names only what it undoes. */
  readonly namesAll: boolean;
  /** The defaults that objects were customised from, by their addresses, as far as they are known. */
  findEarlier(moved: readonly MovedDefault[]): Promise<ReadonlyMap<Address, JsonObject>>;
  /**
   * The desired state. Called when objects and lookups have been read.
   *
   * @param near reads what else the tenant has of some kinds, to suggest a name; empty where it cannot be read
   */
  resolve(
    objects: readonly LiveObject[],
    answer: LookupAnswers,
    near: (kinds: readonly Kind[]) => Promise<readonly LiveObject[]>,
  ): DesiredState | Promise<DesiredState>;
}

export interface DesiredState
  extends Pick<PlanInput, 'resources' | 'previous' | 'diagnostics'>,
    Partial<Pick<PlanInput, 'choices'>> {
  /** Adds the warnings about the changes. Throws a Failure where a change must not be made. */
  judge(plan: Plan, planned: Planned): Promise<Plan>;
}
