/** Programs of a machine that a test plays: shell scripts find them in their path, and functions of the test answer. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Outcome, Piece } from '../support/world.ts';

/** What a script calls a program with. */
export interface Call {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a program prints, and its exit code. */
type Answer = Outcome & {
  /** What it prints in the order in which it prints it. Left out: first all of `stdout`. */
  readonly pieces?: readonly Piece[];
};

export type Played = (call: Call) => Answer | Promise<Answer>;

/** Answers for played programs. */
export interface Players {
  /** The text of the program that a script calls by this name. */
  programOf(name: string): string;
  close(): void;
}

/** Starts to answer for these programs. A function that throws is a program that fails with this text. */
export async function playPrograms(programs: Readonly<Record<string, Played>>): Promise<Players> {
  const server = createServer((socket) => {
    answer(socket, programs).catch((error: unknown) => socket.destroy(new Error(String(error))));
  });
  const port = await portOf(server);
  return {
    programOf: (name) => `#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' ${name} "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
while read -r stream size <&3 && [ "$stream" != end ]; do head -c "$size" <&3 >&"$stream"; done
exit "$size"
`,
    close: () => server.close(),
  };
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address.port);
    });
  });
}

/** An empty item ends a call: `env` prints none. */
async function answer(socket: Socket, programs: Readonly<Record<string, Played>>): Promise<void> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    const call = callIn(text);
    if (call === null) continue;
    const { code, stdout, stderr, pieces } = await run(call, programs[call.name]);
    const printed = pieces ?? [
      { stream: 1, text: stdout },
      { stream: 2, text: stderr },
    ];
    for (const { stream, text } of joinPieces(printed))
      socket.write(`${stream} ${Buffer.byteLength(text)}\n${text}`);
    socket.end(`end ${code}\n`);
    return;
  }
}

/** Each piece costs the script a process, so what follows on the same stream is one. */
function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text === '') continue;
    const last = all.at(-1);
    if (last?.stream === piece.stream) all.splice(-1, 1, { ...last, text: last.text + piece.text });
    else all.push(piece);
  }
  return all;
}

/** `null`: some of it is still on its way. */
function callIn(text: string): (Call & { readonly name: string }) | null {
  const [name = '', cwd = '', count = '', ...rest] = text.split('\0');
  const argv = rest.slice(0, Number(count));
  const variables = rest.slice(argv.length);
  if (count === '' || variables.at(-1) !== '' || variables.at(-2) !== '') return null;
  const pairs = variables.slice(0, -2).map((each): [string, string] => {
    const at = each.indexOf('=');
    return [each.slice(0, at), each.slice(at + 1)];
  });
  return { name, cwd, argv, env: Object.fromEntries(pairs) };
}

async function run(call: Call, play: Played | undefined): Promise<Answer> {
  try {
    if (!play) throw new Error('Nobody plays this program.');
    return await play(call);
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${error}\n` };
  }
}
