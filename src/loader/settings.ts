import { type GlobProblem, globProblem, unknownKind } from '../kinds/address-glob.ts';
import type { Connection, Environment, Limits, Policy } from '../kinds/project.ts';
import {
  type JsonObject,
  numberOf,
  objectOf,
  oneOf,
  own,
  textMembersOf,
  textOf,
  textsOf,
} from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { type ApiSettings, contractSettings } from '../model/settings.ts';
import { didYouMean } from '../model/words.ts';
import { type BuildContext, readConnection } from './connection.ts';
import { collectionTaken, holderOf } from './kind-files.ts';
import { unresolved } from './tree.ts';

/** Builds an environment that fits the schema, with defaults filled in; `null` where its tenant cannot be used. */
export function buildEnvironment(name: string, value: JsonObject, context: BuildContext): Environment | null {
  const connection = readConnection(value, context);
  if (!connection) return null;
  checkPaths(value, context);
  return {
    name,
    kinds: context.project.kinds,
    ...connection,
    settings: readSettings(value),
    limits: readLimits(objectOf(value, 'limits'), connection.connection),
    policy: readPolicy(value, context),
    variables: objectOf(value, 'variables'),
  };
}

/** What has a path of its own and is not a kind. */
const otherResources = ['NotificationTemplateDefault', 'NotificationTemplateContext', 'TestNotification'];

/** Reports names that are not kinds of the identity service, whose paths would have no effect, and paths of other kinds. */
function checkPaths(value: JsonObject, { project: { kinds }, problems, find }: BuildContext): void {
  const known = [
    ...kinds.all.flatMap(({ name, resource }) =>
      resource.lane(contractSettings).service === 'identity' ? [name] : [],
    ),
    ...otherResources,
  ];
  for (const [name, path] of Object.entries(textMembersOf(objectOf(value, 'identity'), 'paths'))) {
    const at = pointer('identity', 'paths', name);
    const kind = kinds.find(name);
    const holder = kind && holderOf(path, kind, kinds);
    if (holder) problems.report(collectionTaken(path, holder), find(at).place);
    if (known.includes(name)) continue;
    const message = `There is no kind \`${name.slice(0, 80)}\` in the identity service of this project`;
    const hint = didYouMean(name, known) ?? `\`identity.paths\` takes ${known.join(', ')}.`;
    problems.add('unknown-kind', message, find(at).key, { hint });
  }
}

/** How the API of the tenant differs from the contract. */
function readSettings(value: JsonObject): ApiSettings {
  const identity = objectOf(value, 'identity');
  const profiles = objectOf(value, 'profiles');
  const contract = contractSettings;
  return {
    experimentalHeader: textOf(identity, 'experimentalHeader') ?? contract.experimentalHeader,
    paths: textMembersOf(identity, 'paths'),
    jsonText: oneOf(identity, 'jsonText', ['text', 'object'], contract.jsonText),
    simUpdate: oneOf(identity, 'simUpdate', ['patch', 'put'], contract.simUpdate),
    simPatchBody: oneOf(identity, 'simPatchBody', ['operations', 'array'], contract.simPatchBody),
    simPatchOps: oneOf(identity, 'simPatchOps', ['all', 'replace'], contract.simPatchOps),
    sendTest: oneOf(identity, 'sendTest', ['documented', 'extended'], contract.sendTest),
    profileSearchPath: textOf(profiles, 'profileSearchPath') ?? contract.profileSearchPath,
    profileSearchDelete: own(profiles, 'profileSearchDelete') === true,
    profileSearchObjectType: oneOf(
      profiles,
      'profileSearchObjectType',
      ['object_type', 'condition_object_type', 'attribute_class'],
      contract.profileSearchObjectType,
    ),
    dkimSuffix: textOf(identity, 'dkimSuffix') ?? contract.dkimSuffix,
  };
}

/** How many requests may be sent, and how long they and their effects may take. */
function readLimits(limits: JsonObject, { to }: Connection): Limits {
  return {
    requests: numberOf(limits, 'requests') ?? 100,
    per: readDuration(textOf(limits, 'per') ?? '') ?? 10_000,
    concurrency: numberOf(limits, 'concurrency') ?? 8,
    timeout: readDuration(textOf(limits, 'timeout') ?? ''),
    // The embedded tenant shows a write at once.
    settle: readDuration(textOf(limits, 'settle') ?? '') ?? (to === 'sandbox' ? 0 : 60_000),
  };
}

/** What a run may do. Unknown kinds, and globs that can never match, are reported. */
function readPolicy(value: JsonObject, { project: { kinds }, problems, find }: BuildContext): Policy {
  const prune = objectOf(value, 'prune');
  const pruned = textsOf(prune, 'kinds');
  const keep = textsOf(prune, 'keep');
  const protect = textsOf(value, 'protect');
  const check = (texts: readonly string[], at: Pointer, problemOf: (text: string) => GlobProblem | null) => {
    for (const [index, text] of texts.entries()) {
      // What could not be read has been reported.
      const problem = text === unresolved ? null : problemOf(text);
      if (problem) problems.report(problem, find(at + pointer(index)).place);
    }
  };
  check(pruned, '/prune/kinds', (name) => (kinds.find(name) ? null : unknownKind(name, kinds)));
  // With a typo in such a glob, the objects it should protect could be deleted.
  check(protect, '/protect', (glob) => globProblem(glob, kinds));
  check(keep, '/prune/keep', (glob) => globProblem(glob, kinds));
  return {
    protect,
    prune: { kinds: pruned, keep },
    maxDeletes: numberOf(objectOf(value, 'limits'), 'maxDeletes') ?? 10,
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds in a duration such as `10s`, `500ms`, `2m` or `1.5h`; `null` for any other text. */
export function readDuration(text: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}
