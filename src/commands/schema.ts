import { builtInKinds } from '../kinds/index.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { didYouMean, joinWords } from '../model/words.ts';
import { json } from '../report/safe.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { isInPackage, otherSchemas, wholeSchema } from './package-file.ts';
import { kindsHere } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 schema [KIND]\n\nPrints a JSON Schema. KIND is the name of a kind; manifest (all manifests), project (the project file), environment (a file with one environment) or kind (a descriptor); or plan, result, fleet or diff. In a project, its own kinds are included. Without KIND, lists the names.',
  options: {
    ...commonOptions,
    kind: option.argument(`A kind, or ${joinWords('or', otherSchemas)}`),
  },
  examples: {
    '$0 schema NotificationTemplate': 'The fields of a notification template',
  },
}).run(async ({ kind: name, ...args }, io) => {
  // If the project cannot be read, the schemas of the built-in kinds still help.
  const kinds = name !== undefined && isInPackage(name) ? builtInKinds : kindsHere(args, io);
  const names = [...kinds.all.map((kind) => kind.name), ...otherSchemas];
  if (name === undefined) {
    io.stdout.write(`${names.join('\n')}\n`);
    return ExitCode.done;
  }
  if (!names.includes(name)) {
    throw fail('unknown-schema', `There is no schema "${name}".`, {
      hint: didYouMean(name, names) ?? `Use one of: ${names.join(', ')}.`,
    });
  }
  io.stdout.write(json(wholeSchema(name, kinds)));
  return ExitCode.done;
});
