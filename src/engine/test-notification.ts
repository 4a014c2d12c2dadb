import { isSuccess, mayHaveHappened } from '../client/answer.ts';
import { describeAnswer } from '../client/describe.ts';
import { readDefaults, readObjects } from '../client/read.ts';
import { readTemplateContext, readVariables } from '../client/template-variables.ts';
import { sameValue } from '../kinds/field.ts';
import { apiRequest, deniesSuccess, identityResource } from '../kinds/http.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf, someOf } from '../kinds/live-objects.ts';
import { listedFor, notificationTemplate } from '../kinds/notifications.ts';
import type { Environment } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, type Key, parseAddress } from '../model/address.ts';
import { ExitCode, fail, interruption } from '../model/failure.ts';
import { canonicalJson, get, getText, isObject, type JsonObject, mapMembers } from '../model/json.ts';
import { literal } from '../model/marker.ts';
import { topName } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import { didYouMean } from '../model/words.ts';
import { globals, sampleContext } from '../render/sample.ts';
import type { Tenant } from './tenant.ts';

/** Test notifications (seed 001). */
export const testNotification = identityResource('TestNotification', 'v2025', 'send-test-notification');

/** The key in a template's address. Throws a Failure for any other text. */
export function templateKey(address: Address, resources: readonly Resource[]): Key {
  const parsed = parseAddress(address);
  const { name, keyFields } = notificationTemplate;
  if (parsed?.kind === name && parsed.key.length === keyFields.length) return parsed.key;
  const form = `An address looks like ${name}/welcome/EMAIL/en.`;
  const hint = didYouMean(address, templateAddresses(resources)) ?? form;
  throw fail('no-template-address', `"${address}" is not the address of a template.`, { hint });
}

function templateAddresses(resources: readonly Resource[]): Address[] {
  return resources.filter(({ kind }) => kind === notificationTemplate).map(({ address }) => address);
}

interface TestChoices {
  /** The values of the template's variables; `null`: made up from the template. */
  readonly context: JsonObject | null;
  /** `null`: the template's own, if the host accepts one. */
  readonly locale: string | null;
  /** Addresses. A recipient is never guessed. */
  readonly to: readonly string[] | null;
}

/** Throws a Failure for choices that the tenant does not accept, and for invalid addresses. */
function checkTestChoices({ locale, to }: TestChoices, { settings, connection }: Environment): void {
  if (settings.sendTest === 'documented' && (locale !== null || to !== null)) {
    const what = [...(locale === null ? [] : ['locale']), ...(to === null ? [] : ['recipients'])];
    throw fail(
      'test-no-choice',
      `The documented API cannot choose the ${what.join(' and ')} of a test notification: the tenant decides. Nothing was sent.`,
      {
        hint:
          connection.to === 'sandbox'
            ? 'Write `sandbox: { presets: [sailpoint-isc] }` in the environment for an embedded tenant that takes them.'
            : 'Set `identity.sendTest: extended` in the environment if the host takes them.',
      },
    );
  }
  const wrong = (to ?? []).find((address) => !/^[^\s@,;<>]+@[^\s@,;<>]+$/.test(address));
  if (wrong !== undefined)
    throw fail('test-recipient', `"${wrong}" is not an e-mail address. Nothing was sent.`, {
      hint: 'Give one address with each --to.',
    });
}

/**
 * Prepares a test notification from the tenant's own template, since that is what the tenant sends. Throws a Failure if the
 * tenant has no such template, or does not accept the choices.
 */
export async function prepareTest(
  key: Key,
  choices: TestChoices,
  resources: readonly Resource[],
  tenant: Tenant,
) {
  const { settings } = tenant.environment;
  checkTestChoices(choices, tenant.environment);
  const { template, object } = await readTemplate(key, resources, tenant);
  const { address, fields } = object;
  const [name = '', medium = '', locale = null] = object.key;
  const declared = resources.find((resource) => resource.address === address);
  const secrets = declared?.secrets().map(topName) ?? [];
  const showField = (field: string) => (secrets.includes(field) ? redacted : getText(fields, field));
  return {
    address,
    key: name,
    medium,
    // The text that the tenant sends: a customised one, or the vendor's default.
    template,
    subject: showField('subject'),
    from: showField('from'),
    replyTo: showField('replyTo'),
    // Declared fields that are different in the tenant.
    differing: Object.entries(declared?.ensure === 'present' ? declared.fields : {}).flatMap(
      ([field, value]) => {
        const type = notificationTemplate.fields[field];
        return !type || sameValue(type, value, get(fields, field)) ? [] : [field];
      },
    ),
    // `null`: the tenant uses the recipient's.
    locale: settings.sendTest === 'extended' ? (choices.locale ?? locale) : null,
    // `null`: the tenant decides.
    to: choices.to,
    context: choices.context ?? (await contextFor(object, tenant)),
  };
}

async function readTemplate(key: Key, resources: readonly Resource[], { client }: Tenant) {
  const wanted = [someOf(notificationTemplate, [key])];
  const identity = identityOf(notificationTemplate, key);
  // A read of defaults also returns the same key in other locales and media.
  const isWanted = (object: LiveObject) => identityOf(notificationTemplate, object.key) === identity;
  const customised = (await readObjects(client, wanted)).find(isWanted);
  if (customised) return { template: 'customised', object: customised } as const;
  const standard = (await readDefaults(client, wanted)).find(isWanted);
  if (standard) return { template: 'default', object: standard } as const;
  const near = didYouMean(`${notificationTemplate.name}/${key.join('/')}`, templateAddresses(resources));
  throw fail('unknown-template', `The tenant has no template ${key.join(' ')}, customised or default.`, {
    hint: near ?? 'Check key, medium and locale: `tenantctl export` shows what the tenant has.',
  });
}

/** Values for the variables of the notification: the tenant's own, else the examples that it lists, else made-up ones. */
async function contextFor({ key, fields }: LiveObject, { client }: Tenant): Promise<JsonObject> {
  // Name and description are not part of the notification.
  const { name: _name, description: _description, ...sent } = fields;
  const set = Object.values(sent).filter((value) => value !== null);
  const texts = set.map((value) => (typeof value === 'string' ? value : canonicalJson(value)));
  const [attributes, listed] = await Promise.all([readTemplateContext(client), readVariables(client, [key])]);
  const examples = listed.get(listedFor(key))?.examples;
  const ownOr: Parameters<typeof mapMembers>[1] = (made, name) => get(attributes, name) ?? made;
  return mapMembers(sampleContext(texts, null, examples), (made, name) =>
    name === globals && isObject(made) ? mapMembers(made, ownOr) : ownOr(made, name),
  );
}

/** Sends a test notification (seed 001, rule 5). Throws a Failure, with exit 3 if it may have been sent. */
export async function sendTest(
  { key, medium, address, context, locale, to }: Awaited<ReturnType<typeof prepareTest>>,
  { client, environment: { settings } }: Tenant,
) {
  const body = {
    key,
    medium,
    context: settings.jsonText === 'text' ? JSON.stringify(context) : literal(context),
    ...(locale === null ? {} : { locale }),
    ...(to === null ? {} : { recipientEmailList: [...to] }),
  };
  const sent = await client.send(apiRequest('POST', testNotification, settings, { body }));
  if (isSuccess(sent) && !deniesSuccess(sent)) return { status: sent.status, trackingId: sent.trackingId };
  if (sent.outcome === 'unsent' && sent.reason === 'interrupted')
    throw interruption('Interrupted; nothing was sent.');
  const { text, hint, trackingId } = describeAnswer(sent);
  const tracking = trackingId === null ? '' : ` (tracking id ${trackingId})`;
  if (mayHaveHappened(sent)) {
    throw fail(
      'test-unknown',
      `It is not known whether the test notification was sent: ${text}${tracking}.`,
      { address, hint: 'Ask a recipient before you send it again.' },
      ExitCode.incomplete,
    );
  }
  const message = `The tenant did not send the test notification: ${text}${tracking}.`;
  throw fail('test-refused', message, { address, ...(hint === null ? {} : { hint }) });
}
