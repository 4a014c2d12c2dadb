/** `explain KIND` and `explain KIND.FIELD`: what the schema says, in words, with an example that is valid. */
import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { createTestWorld, succeed, type World } from '../support/world.ts';

const declarable = builtInKinds.all.filter((kind) => !isOnlyReferredTo(kind));

async function explain(world: World, subject: string): Promise<string> {
  return (await succeed(world, 'explain', subject)).stdout;
}

const exampleIn = (text: string) => /^Example:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? '';
const fieldsIn = (text: string) =>
  [...(/^Fields:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? '').matchAll(/^ {2}(\w+) {2}/gm)].map(
    ([, name = '']) => name,
  );

it.each(declarable.map(({ name }) => name))('the examples of %s are valid manifests', async (name) => {
  const world = await createTestWorld();
  const kind = await explain(world, name);
  const fields = fieldsIn(kind);
  expect(fields).toContain('lifecycle');
  for (const subject of [name, ...fields.map((field) => `${name}.${field}`)]) {
    const example = exampleIn(await explain(world, subject));
    expect(example).toContain(`kind: ${name}\n`);
    if (subject !== name) expect(example).toMatch(new RegExp(`^ {2}${subject.split('.')[1]}:`, 'm'));
    world.write('config/example.yaml', example);
    expect([subject, await world.run('validate')]).toMatchObject([subject, { code: 0 }]);
  }
});

it('says of a field what it means, its type, its default, its members, and whether it is required', async () => {
  const world = await createTestWorld();
  expect(await explain(world, 'NotificationTemplate.medium')).toMatch(
    /^NotificationTemplate\.medium {2}EMAIL, SLACK or TEAMS, required\n\nHow the notification is sent\.\n/,
  );
  expect(await explain(world, 'SenderAddress.ensure')).toContain('\nDefault: "present"\n');
  const rules = await explain(world, 'ProfileSearch.rules');
  expect(rules).toMatch(/^ProfileSearch\.rules {2}list \(each item: mapping\) or null\n/);
  expect(rules).toMatch(/^ {2}value +text, required\. The value to compare with/m);
  // As messages name it, too.
  for (const item of ['rules', 'rules[12]'])
    expect(await explain(world, `ProfileSearch.${item}.value`)).toMatch(
      /^ProfileSearch\.rules\.value {2}text, required\n/,
    );
  expect(await explain(world, 'ProfileSearch.lifecycle.renamedFrom')).toContain('renamedFrom');
  // Either is enough.
  const rule = await explain(world, 'SimIntegration.beforeProvisioningRule');
  expect(rule.match(/(?<=^ {2}\w+ +)[^ ].*?(?=\. )/gm)).toEqual([
    'text',
    'text, required without name',
    'text or null, required without id',
  ]);
});

it("explains a kind of the project's own, with references as examples", async () => {
  const world = await createTestWorld({
    files: {
      'kinds/Team.kind.yaml': 'kind: Team\nsummary: A team.\npath: /v2025/teams\nserverOwned: [id]\n',
      'kinds/Role.kind.yaml': `kind: Role
summary: A role.
path: /v2025/teams/{team}/roles
parent: { team: Team }
key: name
fields: { owner: text, leads: { is: set, to: Team }, of: { is: value, to: Team }, for: { is: reference, to: Team } }
serverOwned: [id]
`,
    },
  });
  expect(await explain(world, 'Role')).toMatch(
    /^Role\n\nA role\.\n[\s\S]*owner +text or null\. The text of owner\./,
  );
  const ref = '!ref Team/name';
  const example = `  kind: Role\n  team: ${ref}\n  name: text\n`;
  expect(exampleIn(await explain(world, 'Role'))).toMatch(example);
  expect(exampleIn(await explain(world, 'Role.leads'))).toBe(`${example}  leads: [${ref}]\n`);
  for (const field of ['of', 'for'])
    expect(exampleIn(await explain(world, `Role.${field}`))).toBe(`${example}  ${field}: ${ref}\n`);
  world.write('config/example.yaml', 'kind: Role\nname: text\n');
  expect((await world.run('validate')).stdout).toContain(`For example: \`team: ${ref}\`.`);
});
