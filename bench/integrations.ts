import type { Manifest } from './templates.ts';

/** A generated service-desk integration, as a manifest declares it and as the tenant has it. */
export interface Integration {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly cluster: string;
  readonly sources: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}

/** The integration of that number; its attributes have about three kilobytes, and no two are the same. */
export function integration(number: number): Integration {
  const settings = Array.from({ length: 32 }, (_, at): [string, string] => [
    `setting_${at}`,
    `https://desk-${number}.acme.example/api/now/table/sc_req_item/${at}?display_value=true&fields=number`,
  ]);
  return {
    name: `Service desk ${String(number).padStart(5, '0')}`,
    description: `Requests of region ${number}`,
    type: 'ServiceNow SDIM',
    cluster: 'cluster-1',
    sources: [`source-${number}`],
    attributes: Object.fromEntries(settings),
  };
}

export function integrations(count: number): Integration[] {
  return Array.from({ length: count }, (_, number) => integration(number));
}

/** A kind that a project describes, with the fields of an integration. */
export const deskDescriptor = `kind: Desk
path: /v2025/desks
key: name
list: { pageSize: null }
update: json-patch
create: true
delete: true
fields:
  description: text
  type: value
  cluster: value
  sources: set
  attributes: { is: json, declares: members, text: true }
`;

/** The manifest of an integration, or of a desk. */
export function integrationManifest(
  { attributes, ...fields }: Integration,
  kind: 'SimIntegration' | 'Desk' = 'SimIntegration',
): Manifest {
  const members = Object.entries({ kind, ...fields });
  const lines = [
    ...members.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    'attributes:',
    ...Object.entries(attributes).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
  ];
  return { file: `${fields.name.replaceAll(' ', '-').toLowerCase()}.yaml`, text: `${lines.join('\n')}\n` };
}
