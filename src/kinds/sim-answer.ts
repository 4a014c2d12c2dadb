import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  own,
  pick,
  textOf,
} from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import { concealedPlaces } from './credentials.ts';
import { readJsonText } from './jsontext.ts';
import type { Facts } from './kind.ts';
import { splitAttributes, ticketFields } from './sim-nested.ts';

export const ruleField = 'beforeProvisioningRule';

/**
 * The answer has another shape than the request: sources are `managedSources`, the cluster is a reference, and `request`
 * and `statusMap` are at top level, inside `attributes`, or missing (api-notes).
 */
export function parseIntegration(answer: JsonObject): Facts | null {
  const name = textOf(answer, 'name');
  if (name === null) return null;
  const { attributes, nested } = splitAttributes(answer);
  const tickets = { ...answer, ...nested };
  const sources = sourcesOf(answer);
  const notShown = [
    ...ticketFields.filter((field) => (own(tickets, field) ?? null) === null),
    ...(sources === undefined ? ['sources'] : []),
  ];
  return {
    key: [name],
    id: textOf(answer, 'id'),
    fields: {
      ...pick(answer, ['description', 'type']),
      cluster: clusterOf(answer),
      sources: sources ?? null,
      attributes,
      ...mapMembers(pick(tickets, ticketFields), readJsonText),
      [ruleField]: own(answer, ruleField) ?? null,
    },
    hidden: [...notShown.map((field) => pointer(field)), ...concealedPlaces(attributes, '/attributes')],
  };
}

/** Hosts hold the id in either member, and the name in the other: a list of both where they differ. */
function clusterOf(answer: JsonObject): Json {
  const reference = own(answer, 'clusterRef');
  const shown = [own(answer, 'cluster'), isObject(reference) ? own(reference, 'id') : null];
  const [first = null, ...others] = [...new Set(shown.map((value) => value ?? null))].filter(
    (value) => value !== null,
  );
  return others.length === 0 ? first : [first, ...others];
}

/**
 * The first of the members that hold the sources which is not empty; `undefined` where the answer has none of them. An empty
 * list may come back as null, but null among the settings of provisioning says nothing about the sources.
 */
function sourcesOf(answer: JsonObject): Json | undefined {
  const config = own(answer, 'provisioningConfig');
  const members = [
    own(answer, 'managedSources'),
    isObject(config) ? (own(config, 'managedResourceRefs') ?? undefined) : undefined,
    own(answer, 'sources'),
  ].filter((member) => member !== undefined);
  const listed = members.find((member) => isArray(member) && member.length > 0) ?? members[0];
  if (!isArray(listed)) return listed;
  return listed.map((source) => (isObject(source) ? (own(source, 'id') ?? null) : source));
}
