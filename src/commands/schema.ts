import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Argv } from 'yargs';
import { builtInKinds } from '../kinds/index.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { isObject, type JsonObject, own, parseJson } from '../model/json.ts';
import { defineCommand } from './command.ts';
import { commonOptions } from './options.ts';

/** Resolves files of this package, wherever it is installed. */
const require = createRequire(import.meta.url);

const others = ['manifest', 'project', 'environment', 'plan', 'result', 'fleet', 'diff'];

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 schema [KIND]\n\nPrints a JSON Schema: of a kind, of all manifests (manifest), of the project file (project), of a file with one environment (environment), or of plan, result, fleet and diff files. Without KIND, lists the names.',
    )
    .positional('kind', {
      type: 'string',
      describe: 'A kind, or manifest, project, environment, plan, result, fleet or diff',
    })
    .example('$0 schema NotificationTemplate', 'The fields of a notification template');
}

export const command = defineCommand(build, async ({ kind }, io) => {
  const names = [...builtInKinds.all.map(({ name }) => name), ...others];
  if (kind === undefined) {
    io.stdout.write(`${names.join('\n')}\n`);
    return ExitCode.done;
  }
  if (!names.includes(kind)) {
    throw failure('unknown-schema', `There is no schema "${kind}".`, {
      hint: `Use one of: ${names.join(', ')}.`,
    });
  }
  io.stdout.write(`${JSON.stringify(addLifecycle(readSchema(kind)), null, 2)}\n`);
  return ExitCode.done;
});

function readSchema(name: string): JsonObject {
  const text = readFileSync(require.resolve(`tenantctl/schemas/${name}.schema.json`), 'utf8');
  const schema = parseJson(text);
  if (!isObject(schema)) throw new Error(`schemas/${name}.schema.json is not a JSON object.`);
  return schema;
}

/** Adds the shared `lifecycle` schema to the schema of a kind, so that it can be used without other files. */
function addLifecycle(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema);
  if (!text.includes(shared)) return schema;
  const { $schema: _, ...lifecycle } = readSchema('lifecycle');
  const inner = JSON.stringify(lifecycle).replaceAll('"#/', '"#/$defs/lifecycle/');
  const whole = parseJson(
    text.replaceAll(`"${shared}#/`, `"${shared}/`).replaceAll(shared, '#/$defs/lifecycle'),
  );
  const part = parseJson(inner);
  if (!isObject(whole) || !isObject(part)) return schema;
  const defs = own(whole, '$defs');
  return { ...whole, $defs: { ...(isObject(defs) ? defs : {}), lifecycle: part } };
}

/** The file that the schemas of kinds refer to. */
const shared = 'lifecycle.schema.json';
