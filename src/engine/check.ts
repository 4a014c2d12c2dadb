import type { Kind } from '../kinds/kind.ts';
import { findPreset } from '../kinds/presets.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { TenantName } from '../model/network.ts';
import type { ApiSettings } from '../model/settings.ts';
import { type Detected, hasList, surveyTenant } from './detect.ts';
import { servedKinds } from './reading.ts';
import type { TenantOptions } from './tenant.ts';

export interface KindCheck {
  readonly kind: string;
  /** True when manifests declare such objects, so that a plan reads them. */
  readonly declared: boolean;
  /** `each`: objects of the kind are read one by one, and none was. */
  readonly read: 'yes' | 'no' | 'each' | 'no-service';
  /** The objects on the first page; `null` where none was read. */
  readonly count: number | null;
  readonly problem: Pick<Diagnostic, 'code' | 'message' | 'hint'> | null;
  /** What the API can do with such objects, as the description of the kind says. It is not tried. */
  readonly write: readonly ('create' | 'change' | 'delete')[];
}

export interface TenantCheck {
  readonly environment: string;
  readonly tenant: TenantName;
  readonly readOnly: boolean;
  readonly kinds: readonly KindCheck[];
  /** The settings that the host needs and the environment lacks. `stopsPlan`: nothing is read without it. */
  readonly settings: readonly (Detected & { readonly stopsPlan: boolean })[];
  readonly stopsPlan: boolean;
}

/** Without these, lists or objects are refused; without the others, reads work. */
const settingsOfReads: readonly string[] = ['experimentalHeader', 'paths', 'mailFrom'];

function isForReads({ name, value }: Detected, settings: ApiSettings): boolean {
  const preset = name === 'preset' ? findPreset(value) : null;
  if (!preset) return settingsOfReads.includes(name);
  const has: Readonly<Record<string, unknown>> = { ...settings };
  return Object.entries(preset.settings).some(
    ([member, wanted]) => settingsOfReads.includes(member) && has[member] !== wanted,
  );
}

/**
 * Signs in, reads one page of each kind, and says what may be read, and which settings the host needs and the environment lacks.
 * Nothing is written. Throws a Failure when the credentials or an address are wrong, and when no list can be read.
 *
 * @param declared the kinds that manifests declare
 */
export async function checkTenant(
  project: ProjectEnvironment,
  declared: ReadonlySet<string>,
  options: TenantOptions,
): Promise<TenantCheck> {
  const { environment } = project;
  const { found, refused, detected } = await surveyTenant(project, { ...options, isCheck: true });
  const { skipped } = servedKinds(environment.kinds.all, [environment]);
  const counts = new Map(found.map(({ kind, count }) => [kind, count]));
  const readOf = (kind: Kind): KindCheck['read'] => {
    if (skipped.some((each) => each.kind === kind)) return 'no-service';
    if (!hasList(kind)) return 'each';
    return counts.has(kind) ? 'yes' : 'no';
  };
  const kinds = environment.kinds.all.map((kind): KindCheck => {
    const { code, message, hint } = refused.get(kind) ?? {};
    return {
      kind: kind.name,
      declared: declared.has(kind.name),
      read: readOf(kind),
      count: counts.get(kind) ?? null,
      problem: code === undefined || message === undefined ? null : { code, message, ...(hint && { hint }) },
      write: abilitiesOf(kind),
    };
  });
  const settings = detected.map((each) => ({ ...each, stopsPlan: isForReads(each, environment.settings) }));
  const isMissing = ({ declared: isDeclared, read }: KindCheck) =>
    isDeclared && (read === 'no' || read === 'no-service');
  return {
    environment: environment.name,
    tenant: environment.tenant,
    readOnly: environment.policy.readOnly,
    kinds,
    settings,
    stopsPlan: kinds.some(isMissing) || settings.some(({ stopsPlan }) => stopsPlan),
  };
}

function abilitiesOf({ can }: Kind): KindCheck['write'] {
  return [
    ...(can.create === false ? [] : (['create'] as const)),
    ...(can.update ? (['change'] as const) : []),
    ...(can.delete ? (['delete'] as const) : []),
  ];
}
