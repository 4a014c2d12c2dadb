/** Numbers that nobody declares and that a double cannot hold: they are written back as they were read, digit by digit. */
import { expect, it } from 'vitest';
import { createHostProject, serve } from '../support/api-host.ts';
import { succeed } from '../support/world.ts';

const path = '/v1/rooms';

/** A host with one room, whose texts are sent as they are, and what it was sent. */
async function hostOf(room: string) {
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== 'GET') bodies.push(Buffer.concat(chunks).toString());
    const isList = request.url?.split('?')[0] === path;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(request.method === 'GET' && isList ? `[${bodies.at(-1) ?? room}]` : (bodies.at(-1) ?? room));
  });
  return { host: { url, log: [] }, bodies };
}

const kind = (fields: string) =>
  `kind: Room\npath: ${path}\nkey: name\nlist: { pageSize: null }\nupdate: put\nserverOwned: []\nfields: ${fields}\n`;

it.each<[string, string, string]>([
  ['beside the declared fields', '{ seats: value }', '"serial":12345678901234567890'],
  ['too large for any number', '{ seats: value }', '"far":1e400'],
  ['with many digits behind the point', '{ seats: value }', '"share":0.1234567890123456789'],
  ['in a list', '{ seats: value }', '"serials":[1,12345678901234567890]'],
  ['inside an object', '{ seats: value }', '"deep":{"a":[{"b":-98765432109876543210}]}'],
  ['inside a declared object', '{ seats: value, options: json }', '"options":{"b":12345678901234567890}'],
])('a number %s', async (_, fields, member) => {
  const { host, bodies } = await hostOf(
    `{"id":"1","name":"Blue","seats":1,"text":"12345678901234567890",${member}}`,
  );
  const manifest = { 'config/all.yaml': 'kind: Room\nname: Blue\nseats: 2\n' };
  const project = createHostProject({ test: host }, { 'kinds/Room.kind.yaml': kind(fields), ...manifest });
  await succeed(project, 'apply --yes');
  expect(bodies).toHaveLength(1);
  expect(bodies[0]?.replaceAll(/\s/g, '')).toContain(member);
  expect(bodies[0]).toContain('"text":"12345678901234567890"');
  expect((await project.plan()).changes).toEqual([]);
});

it('a number in JSON that is kept in text', async () => {
  const options = JSON.stringify('{"a":1,"b":12345678901234567890}');
  const { host, bodies } = await hostOf(`{"id":"1","name":"Blue","options":${options}}`);
  const project = createHostProject(
    { test: host },
    {
      'kinds/Room.kind.yaml': kind('{ options: { is: json, text: true, declares: members } }'),
      'config/all.yaml': 'kind: Room\nname: Blue\noptions: { a: 2 }\n',
    },
  );
  await succeed(project, 'apply --yes');
  expect(JSON.parse(bodies[0] ?? '').options).toBe('{"a":2,"b":12345678901234567890}');
});
