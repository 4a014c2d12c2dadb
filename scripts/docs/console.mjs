// Runs every `$ command` in the `console` blocks of a document, and puts its output below it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const mark = '@@done@@';
const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'me'],
    [`GIT_${role}_EMAIL`, 'me@acme.example'],
  ]),
);

/**
 * The document with the outputs of its commands as they are now. Commands run one after the other in a folder like a
 * fresh clone; a block that begins with `# some/path.yaml` or `# .env` is written there first.
 *
 * @param program what runs, as in `built.mjs`
 */
export async function withOutputs(
  text,
  program,
  { before = [], toReal = (step) => step, toShown = (output) => output } = {},
) {
  const blocks = blocksOf(text);
  const printed = await run(program.npx, [...before, ...blocks.flatMap(stepsOf).map(toReal)]);
  const outputs = printed.map(toShown);
  const shown = blocks.filter(({ language }) => language === 'console');
  const commands = shown.flatMap(({ content }) => commandsOf(content));
  // Outputs refer to each other (digests, for example), so they all come from one run.
  if (commands.every(({ output }, at) => stable(output) === stable(outputs[at] ?? ''))) return text;
  let document = text;
  for (const block of shown.toReversed()) {
    const own = commandsOf(block.content);
    const results = outputs.splice(outputs.length - own.length);
    const content = own.map(({ command }, at) => `$ ${command}\n${results[at] ?? ''}`);
    document = `${document.slice(0, block.start)}${content.join('')}${document.slice(block.end)}`;
  }
  return document;
}

/** The outputs of a document whose reader has followed another one before, in the same clone. */
export function outputsAfter(readOther) {
  return (text, program) => {
    const others = blocksOf(readOther()).flatMap(stepsOf);
    return withOutputs(text, program, { before: ['(', ...others, ') > /dev/null 2>&1'] });
  };
}

/** A command and its output as another document shows them. */
export function shownIn(text, command) {
  const block = blocksOf(text).find(({ content }) => content.startsWith(`$ ${command}\n`));
  if (!block) throw new Error(`No block of the other document begins with "${command}".`);
  return `\`\`\`console\n${block.content}\`\`\``;
}

/**
 * The outputs of a document whose tenant is played by a server of its own, which departs from the contract.
 *
 * @param host how; left out: as the document says
 */
export function withHost(text, program, host = { variations: { jsonText: 'object', simSecrets: 'masked' } }) {
  const seed = join(root, 'examples/sandbox.seed.yaml');
  const names = {
    url: 'https://acme.api.example.com',
    clientId: 'the-id-of-your-client',
    clientSecret: 'the-secret-of-your-client',
  };
  return withTenants(text, program, [{ names, options: { seed, ...host } }]);
}

/** The outputs of a document with three tenants of unlike content. */
export function withFleet(text, program) {
  const tenants = ['test', 'eu-1', 'us-1'].map((name) => ({
    options: { seed: join(root, `scripts/docs/fleet/${name}.seed.yaml`) },
    names: {
      url: `https://acme-${name}.api.example.com`,
      clientId: `the-id-of-${name}`,
      clientSecret: `the-secret-of-${name}`,
    },
  }));
  return withTenants(text, program, tenants);
}

/**
 * The commands of a document are many for a minute, and nobody has to wait for the rate limit.
 *
 * @param tenants what each departs from the contract in, and what the document calls its address and credentials
 */
async function withTenants(text, program, tenants) {
  const started = await Promise.all(
    tenants.map(({ options }) => program.startSandbox({ rateLimit: null, ...options })),
  );
  const pairs = started.flatMap((tenant, at) =>
    Object.entries(tenants[at].names).map(([name, shown]) => [shown, tenant[name]]),
  );
  try {
    return await withOutputs(text, program, {
      toReal: (step) => pairs.reduce((rest, [shown, real]) => rest.replaceAll(shown, real), step),
      toShown: (output) => pairs.reduce((rest, [shown, real]) => rest.replaceAll(real, shown), output),
    });
  } finally {
    for (const tenant of started) await tenant.close();
  }
}

function blocksOf(text) {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language, 2: content }) => {
    const start = index + '```'.length + language.length + 1;
    return { language, content, start, end: start + content.length };
  });
}

function commandsOf(content) {
  return content
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.split('\n');
      return { command, output: output.join('\n') };
    });
}

/** Lines of a shell script: the file or the commands of a block. */
function stepsOf({ language, content }) {
  if (language === 'console') {
    return commandsOf(content).flatMap(({ command }) => [
      command,
      `{ status=$?; printf '${mark}'; (exit $status); }`,
    ]);
  }
  const [, path] = /^# (\S+\.ya?ml|\.env)\n/.exec(content) ?? [];
  if (!['yaml', 'sh'].includes(language) || path === undefined) return [];
  return [`mkdir -p "$(dirname ${path})"`, `cat > ${path} <<'END OF FILE'\n${content}END OF FILE`];
}

async function run(npx, steps) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tenantctl-docs-')));
  try {
    const clone = join(home, 'tenantctl');
    cpSync(join(root, 'examples'), join(clone, 'examples'), {
      recursive: true,
      filter: (path) => !path.includes('.tenantctl'),
    });
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npx'), npx);
    chmodSync(join(bin, 'npx'), 0o755);
    const script = ['exec 2>&1', 'set -o pipefail', 'git init --quiet', ...steps, ''].join('\n');
    const bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: clone,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, LC_ALL: 'C.UTF-8', NO_COLOR: '1', ...author },
    });
    bash.stdin.end(script);
    const [stdout, [status]] = await Promise.all([text(bash.stdout), once(bash, 'close')]);
    if (status === null) throw new Error('The commands of the document did not end.');
    return stdout.split(mark).slice(0, -1);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** An output without what differs between runs. */
function stable(output) {
  return output
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d[-.]\d{3}Z/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID')
    .replaceAll(/\b\d+(\.\d+)? (ms|s)\b/g, 'DURATION')
    .replaceAll(/[ \t]+$/gm, '');
}
