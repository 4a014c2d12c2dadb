/** Tokens that somebody else renews while the program runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collections, createHostProject, startApiHost } from '../support/api-host.ts';
import { expectEnd, runProgram } from '../support/world.ts';

const path = '/v1/rooms';
const kind = `kind: Room\npath: ${path}\nkey: name\nupdate: put\nfields: { seats: value }\n`;

/** A host that takes one token at a time, and a project whose token is in a file. `rotate` is called at one of its requests. */
async function rotating(rotate: (file: string) => void, at = 3) {
  const rows = [{ id: '1', name: 'Blue', seats: 1 }];
  const answer = collections({ path, rows, newId: () => 'new' });
  let valid = 'first-token-of-the-job';
  let asked = 0;
  const host = await startApiHost((request) => {
    asked += 1;
    if (asked === at) {
      valid = 'second-token-of-the-job';
      rotate(file);
    }
    return request.headers.authorization === `Bearer ${valid}`
      ? answer(request)
      : { status: 401, body: { error: 'expired' } };
  });
  const project = createHostProject(
    { test: host },
    {
      'kinds/Room.kind.yaml': kind,
      'config/all.yaml': 'kind: Room\nname: Blue\nseats: 2\n',
      'token.txt': 'first-token-of-the-job\n',
    },
  );
  const file = join(project.dir, 'token.txt');
  const run = (...argv: string[]) => runProgram(argv, { cwd: project.dir, env: { TOKEN_FILE: file } });
  return { rows, host, run };
}

it('a token in a file is read again when it is refused', async () => {
  const { rows, host, run } = await rotating((file) => writeFileSync(file, 'second-token-of-the-job\n'));
  const { code, stderr } = await run('apply --yes');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(rows).toMatchObject([{ seats: 2 }]);
  const tokens = host.log.map(({ headers }) => headers.authorization?.split('-')[0]);
  expect(tokens.filter((token, at) => token !== tokens[at - 1])).toEqual(['Bearer first', 'Bearer second']);
});

it('a token that is still the same is not sent twice', async () => {
  const { host, run } = await rotating(() => {}, 1);
  await expectEnd(run('apply --yes'), 1, 'tenant-unauthorized');
  expect(host.log).toHaveLength(1);
});
