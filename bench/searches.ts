import type { Manifest } from './world.ts';

/** A generated profile search, as a manifest declares it and as the tenant has it. */
export interface Search {
  readonly label: string;
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly type: 'ProfileAttributeRule';
  readonly object_type: 'NeAttribute';
  readonly condition_object_id: string;
  readonly comparison_operator: '==';
  readonly value: string;
}

/** The searches of the first so many numbers; their rules have about three kilobytes, and no two are the same. */
export function searches(count: number): Search[] {
  return Array.from({ length: count }, (_, number) => ({
    label: `Search ${String(number).padStart(5, '0')}`,
    rules: Array.from({ length: 12 }, (_rule, at): Rule => {
      const value = `Department of the region ${number}, building ${at}, all floors but those of the visitors`;
      const id = `0d5f3c1e-0000-4000-8000-${String(at).padStart(12, '0')}`;
      const compared = { condition_object_id: id, comparison_operator: '==' as const, value };
      return { type: 'ProfileAttributeRule', object_type: 'NeAttribute', ...compared };
    }),
  }));
}

/** The manifest of a search. */
export function searchManifest({ label, rules }: Search): Manifest {
  const items = rules.map(({ type, ...more }) => {
    const members = Object.entries(more).map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`);
    return `  - type: ${type}\n${members.join('')}`;
  });
  const file = `${label.replace(' ', '-').toLowerCase()}.yaml`;
  return { file, text: `kind: ProfileSearch\nlabel: ${label}\nrules:\n${items.join('')}` };
}
