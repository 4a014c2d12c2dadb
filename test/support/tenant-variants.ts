import { readJsonText } from '../../src/kinds/jsontext.ts';
import { mapMembers } from '../../src/model/json.ts';
import { type DescribedCase, placeKind, placesById } from './described.ts';
import { descriptorFrom } from './descriptor.ts';
import type { WorldOptions } from './world.ts';

/** How a tenant may answer, with the settings that its environment then needs. */
export const worlds: readonly WorldOptions[] = [
  {},
  { sandbox: { variations: { emptyAsNull: true, shuffleLists: true, emailLowerCase: true } } },
  {
    sandbox: {
      variations: {
        jsonText: 'object',
        slackTeams: 'object',
        simStatusMap: 'attributes',
        simPatchBody: 'array',
        ruleObjectType: 'condition_object_type',
      },
    },
    identity: { jsonText: 'object', simPatchBody: 'array' },
    profiles: { profileSearchObjectType: 'condition_object_type' },
  },
  {
    sandbox: { variations: { simStatusMap: 'hidden', mailFromMissing: 'notFound' } },
    identity: { simUpdate: 'put' },
  },
  {
    sandbox: { variations: { simPatchOps: 'replace', mailFromMissing: 'empty' } },
    identity: { simPatchOps: 'replace' },
  },
];

/** A tenant that serves the kind and has its objects, and a project that describes it. JSON is YAML. */
export function describedOptions({ document, objects }: DescribedCase): WorldOptions {
  const { fields } = descriptorFrom(document);
  const isText = (name: string) => fields[name]?.is === 'json' && !fields[name].plain;
  // A seed has objects if the tenant keeps text.
  const seeded = objects.map((object) =>
    mapMembers(object, (value, name) => (isText(name) ? readJsonText(value) : value)),
  );
  return {
    seed: JSON.stringify({
      kinds: [placeKind, document],
      objects: { Place: Object.entries(placesById).map(([id, name]) => ({ id, name })), Told: seeded },
    }),
    files: {
      'kinds/Place.kind.yaml': JSON.stringify(placeKind),
      'kinds/Told.kind.yaml': JSON.stringify(document),
    },
  };
}
