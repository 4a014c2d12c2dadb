import { type GlobProblem, globProblem, unknownKind } from '../kinds/address-glob.ts';
import { findKind } from '../kinds/index.ts';
import { isArray, isObject, type JsonObject, own, textOf } from '../model/json.ts';
import { type LintLevels, type LintRule, lintRules } from '../model/lint.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Environment, Limits, Policy } from '../model/project.ts';
import { type ApiSettings, contractSettings } from '../model/settings.ts';
import type { Found } from './position.ts';
import type { Problems } from './problems.ts';

/** How the tenant differs from the contract. */
export function readSettings(value: JsonObject): ApiSettings {
  const identity = part(value, 'identity');
  const profiles = part(value, 'profiles');
  const contract = contractSettings;
  return {
    experimentalHeader: textOf(identity, 'experimentalHeader') ?? contract.experimentalHeader,
    jsonText: oneOf(identity, 'jsonText', ['text', 'object'], contract.jsonText),
    simUpdate: oneOf(identity, 'simUpdate', ['patch', 'put'], contract.simUpdate),
    simPatchBody: oneOf(identity, 'simPatchBody', ['operations', 'array'], contract.simPatchBody),
    simPatchOps: oneOf(identity, 'simPatchOps', ['all', 'replace'], contract.simPatchOps),
    profileSearchPath: textOf(profiles, 'profileSearchPath') ?? contract.profileSearchPath,
    profileSearchDelete: own(profiles, 'profileSearchDelete') === true,
    profileSearchObjectType: oneOf(
      profiles,
      'profileSearchObjectType',
      ['object_type', 'condition_object_type'],
      contract.profileSearchObjectType,
    ),
    dkimSuffix: textOf(identity, 'dkimSuffix') ?? contract.dkimSuffix,
  };
}

/** The lint levels that the project file sets, those of the rules for the rest. */
export function readLintLevels(project: JsonObject, environment: Environment | null): LintLevels {
  const set = part(project, 'lint');
  const isEmbedded = environment?.connection.to === 'sandbox';
  const level = ([code, rule]: [string, LintRule]) => {
    const usual = (isEmbedded ? rule.embedded : undefined) ?? rule.level;
    return [code, oneOf(set, code, ['error', 'warning', 'info', 'off'], usual)] as const;
  };
  return Object.fromEntries(Object.entries(lintRules).map(level));
}

/** How fast requests may go, and how long one may take. */
export function readLimits(limits: JsonObject): Limits {
  return {
    requests: numberOf(limits, 'requests') ?? 100,
    per: readDuration(textOf(limits, 'per') ?? '') ?? 10_000,
    concurrency: numberOf(limits, 'concurrency') ?? 8,
    timeout: readDuration(textOf(limits, 'timeout') ?? ''),
  };
}

/** What a run may do; kinds that do not exist, and globs that match no object of any, are told. */
export function readPolicy(
  value: JsonObject,
  { problems, find }: { problems: Problems; find(at: Pointer): Found },
): Policy {
  const prune = part(value, 'prune');
  const pruned = texts(prune, 'kinds');
  const protect = texts(value, 'protect');
  const keep = texts(prune, 'keep');
  const tell = (problem: GlobProblem | null, at: Pointer): void => {
    if (problem) problems.add(problem.code, problem.message, find(at).place, { hint: problem.hint });
  };
  for (const [index, name] of pruned.entries()) {
    tell(findKind(name) ? null : unknownKind(name), pointer('prune', 'kinds', index));
  }
  // What a mistyped glob means to keep would be deleted.
  for (const [index, glob] of protect.entries()) tell(globProblem(glob), pointer('protect', index));
  for (const [index, glob] of keep.entries()) tell(globProblem(glob), pointer('prune', 'keep', index));
  return {
    protect,
    prune: { kinds: pruned, keep },
    maxDeletes: numberOf(part(value, 'limits'), 'maxDeletes'),
  };
}

/** The member of that name where it is an object, else an empty one. */
export function part(value: JsonObject, name: string): JsonObject {
  const member = own(value, name);
  return isObject(member) ? member : {};
}

function texts(value: JsonObject, name: string): string[] {
  const list = own(value, name);
  return isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function numberOf(value: JsonObject, name: string): number | null {
  const number = own(value, name);
  return typeof number === 'number' ? number : null;
}

function oneOf<const T extends string>(
  value: JsonObject,
  name: string,
  choices: readonly T[],
  otherwise: T,
): T {
  return choices.find((choice) => choice === own(value, name)) ?? otherwise;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds of a time such as `10s`, `500ms`, `2m`, `1.5h`; `null` for anything else. */
export function readDuration(text: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}
