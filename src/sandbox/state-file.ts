import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { type Json, parseJson } from '../model/json.ts';
import { Fields } from './fields.ts';
import {
  readAuthProfile,
  readContext,
  readIdentity,
  readMailFrom,
  readNeAttribute,
  readPreference,
  readProfile,
  readProfileSearch,
  readProfileType,
  readReference,
  readSender,
  readSentNotification,
  readSimIntegration,
  readTemplateDefault,
  readUser,
  templateKey,
  templateReader,
} from './read-objects.ts';
import type { TenantState } from './state.ts';

/** A seed or data file that cannot be used; `message` names the file and the place in it. */
export class SandboxFileError extends Error {
  override readonly name = 'SandboxFileError';
}

/**
 * The tenant to start with: the data file if it exists, else the seed, else an empty tenant.
 * Throws {@link SandboxFileError} for a file that is missing, unreadable or of the wrong shape.
 */
export function loadState(seed: string | null, data: string | null): TenantState {
  if (data !== null && existsSync(data)) return readFile(data, (text) => parseJson(text));
  if (seed !== null) return readFile(seed, (text) => parse(text, { maxAliasCount: 100 }));
  return readState({});
}

/** Writes the tenant atomically: a reader sees the old file or the new one, also after a crash. */
export function saveState(state: TenantState, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, JSON.stringify(state));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}

function readFile(file: string, parseText: (text: string) => Json | undefined): TenantState {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return readState(parseText(text));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new SandboxFileError(`The sandbox cannot use ${file}: ${cause}`);
  }
}

/**
 * The tenant that a seed or a data file describes. Fills in what a seed leaves out: ids, times, and the texts of a
 * customised template that are the same as in its default. Throws `ShapeError` for unknown fields and wrong types.
 */
function readState(value: Json | undefined): TenantState {
  const fields = new Fields(value, 'seed');
  const templateDefaults = fields.list('templateDefaults', readTemplateDefault);
  const defaults = new Map(templateDefaults.map((item) => [templateKey(item), item]));
  const state: TenantState = {
    tenant: fields.textOr('tenant', 'sandbox'),
    generation: fields.numberOrNull('generation') ?? 0,
    references: fields.list('references', readReference),
    authProfiles: fields.list('authProfiles', readAuthProfile),
    simIntegrations: fields.list('simIntegrations', readSimIntegration),
    templateDefaults,
    templates: fields.list('templates', templateReader(defaults)),
    templateContext: readContext(fields.json('templateContext') ?? {}, 'seed.templateContext'),
    preferences: fields.list('preferences', readPreference),
    senders: fields.list('senders', readSender),
    identities: fields.list('identities', readIdentity),
    mailFrom: fields.list('mailFrom', readMailFrom),
    sentNotifications: fields.list('sentNotifications', readSentNotification),
    users: fields.lines('users', readUser),
    profileTypes: fields.list('profileTypes', readProfileType),
    neAttributes: fields.list('neAttributes', readNeAttribute),
    profiles: fields.lines('profiles', readProfile),
    profileSearches: fields.list('profileSearches', readProfileSearch),
  };
  fields.done();
  return state;
}
