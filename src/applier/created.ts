import { listNeeds } from '../kinds/dependencies.ts';
import { fillPath } from '../kinds/http.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { shownId } from '../kinds/live-objects.ts';
import type { Address } from '../model/address.ts';
import { type Json, mapMembers } from '../model/json.ts';
import { fillPointer, fillRefs } from '../model/marker.ts';
import type { Change, Request } from '../model/plan.ts';
import type { ChangeOutcome } from '../model/result.ts';
import type { Finder, KindChange } from './find.ts';

/** The ids of the objects that a plan creates, as they become known. */
export class CreatedIds {
  readonly #ids = new Map<Address, Json>();
  /** What changes of the plan refer to. */
  readonly #needed = new Set<Address>();
  readonly #outcomes = new Map<Address, ChangeOutcome>();

  /** Takes what changes refer to, and the ids of the objects that earlier runs of the plan created. */
  find(entries: readonly KindChange[], find: Finder): void {
    for (const entry of entries) {
      const { action, address } = entry.change;
      for (const needed of listNeeds(entry.change)) this.#needed.add(needed);
      const live = action === 'create' ? find(entry).live : null;
      if (live) this.learn(address, live);
    }
  }

  learn(address: Address, live: Pick<LiveObject, 'kind' | 'id' | 'raw'>): void {
    if (live.id !== null) this.#ids.set(address, shownId(live));
  }

  end({ address, action }: Change, outcome: ChangeOutcome, live: LiveObject | null): void {
    this.#outcomes.set(address, outcome);
    if (action === 'create' && outcome === 'done' && live) this.learn(address, live);
  }

  fill<T extends KindChange>(entry: T): T {
    const { change } = entry;
    if (listNeeds(change).length === 0) return entry;
    const idOf = (to: Address) => this.#ids.get(to);
    return {
      ...entry,
      change: {
        ...change,
        declared: change.declared && mapMembers(change.declared, (value) => fillRefs(value, idOf)),
        diff: change.diff.map((each) => ({
          ...each,
          path: fillPointer(each.path, idOf),
          after: fillRefs(each.after, idOf),
        })),
        requests: change.requests.map((request) => fillRequest(request, idOf)),
      },
    };
  }

  missingFor({ change }: KindChange): Address[] {
    return listNeeds(change).filter((address) => !this.#ids.has(address));
  }

  isAwaited(address: Address): boolean {
    return this.#needed.has(address) && !this.#ids.has(address);
  }

  whyMissing(address: Address): string {
    const outcome = this.#outcomes.get(address);
    const why = outcome === 'done' ? 'whose id the tenant does not show' : 'which was not created';
    return `It refers to ${address}, ${why}.`;
  }
}

export function fillRequest(request: Request, idOf: (to: Address) => Json | undefined): Request {
  return { ...request, path: fillPath(request.path, idOf), body: fillRefs(request.body, idOf) };
}
