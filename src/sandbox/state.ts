import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { type Json, parseJson } from '../model/json.ts';
import { Fields } from './fields.ts';
import * as objects from './objects.ts';

/** Everything a tenant holds. Tests change it directly, as a person does in the tenant's own interface. */
export type TenantState = ReturnType<typeof readState>;

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
  // Somebody may have put a link there: it is replaced, not followed.
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600, flush: true, flag: 'wx' });
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
function readState(value: Json | undefined) {
  const fields = new Fields(value, 'seed');
  const templateDefaults = fields.list('templateDefaults', objects.readTemplateDefault);
  const state = {
    tenant: fields.textOr('tenant', 'sandbox'),
    // Counts deletions, so that an object created again with its old key gets another id.
    generation: fields.numberOrNull('generation') ?? 0,
    references: fields.list('references', objects.readReference),
    authProfiles: fields.list('authProfiles', objects.readAuthProfile),
    simIntegrations: fields.list('simIntegrations', objects.readSimIntegration),
    templateDefaults,
    templates: fields.list('templates', objects.templateReader(templateDefaults)),
    templateContext: objects.readContext(fields.json('templateContext') ?? {}, 'seed.templateContext'),
    preferences: fields.list('preferences', objects.readPreference),
    senders: fields.list('senders', objects.readSender),
    identities: fields.list('identities', objects.readIdentity),
    mailFrom: fields.list('mailFrom', objects.readMailFrom),
    sentNotifications: fields.list('sentNotifications', objects.readSentNotification),
    users: fields.lines('users', objects.readUser),
    profileTypes: fields.list('profileTypes', objects.readProfileType),
    neAttributes: fields.list('neAttributes', objects.readNeAttribute),
    profiles: fields.lines('profiles', objects.readProfile),
    profileSearches: fields.list('profileSearches', objects.readProfileSearch),
  };
  fields.done();
  return state;
}

/** Moves the first record of each list to its end: another order, which means nothing, shifts the rows of all pages. */
export function moveFirstRecords(state: TenantState): void {
  for (const records of Object.values(state)) if (Array.isArray(records)) moveFirst(records);
}

function moveFirst(records: unknown[]): void {
  records.push(...records.splice(0, 1));
}
