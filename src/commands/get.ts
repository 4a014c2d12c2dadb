import { getDeclared, getLive } from '../engine/export.ts';
import { openProjects } from '../loader/index.ts';
import { type Printable, printManifest } from '../loader/print.ts';
import { ExitCode, isError } from '../model/failure.ts';
import { type Json, objectFrom } from '../model/json.ts';
import { disarm, json, safeJson } from '../report/safe.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { printDiagnostics, withoutSecrets } from './output.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 get ADDRESS… [options]\n\nPrints live objects as manifests, as an export would write them, in one stream. Changes nothing.',
  options: {
    ...commonOptions,
    address: { ...option.argument('Addresses, or globs of them'), array: true, demandOption: true },
    declared: option.flag('Print what the manifests declare instead, after variables and overlays'),
    format: option.format(['yaml', 'json']),
  },
  examples: {
    '$0 get NotificationTemplate/password_expiring/EMAIL/en': 'What the tenant has now',
    "$0 get 'SenderAddress/**' --format json": 'All objects of a kind, for a script',
    '$0 get SimIntegration/ServiceNow --declared -e production':
      'What variables and overlays make of a manifest',
  },
}).run(async (args, io) => {
  const options = projectOptions(args, io);
  const projects = openProjects(options);
  const declared = args.declared ? projects.load(options.environment) : null;
  const project = declared ?? projects.environment(options.environment);
  const { documents: found, diagnostics } = declared
    ? getDeclared(declared.resources, args.address, declared.environment.kinds)
    : await withTenant(project, io, (tenant) => {
        const { declared } = projects.declarations(options.environment);
        return getLive(tenant, args.address, { root: project.root, declared });
      });
  const documents = [...found].map(([address, document]) => {
    return { ...document, ...withoutSecrets({ address, members: document.members }, io) };
  });
  printDiagnostics(diagnostics, io);
  const errors = diagnostics.filter(isError);
  if (args.format === 'json') {
    const objects = documents.map(({ address, members }) => ({ address, manifest: jsonOf({ members }) }));
    io.stdout.write(json({ formatVersion: 1, objects, ...(errors.length > 0 && { diagnostics: errors }) }));
  } else {
    // A manifest keeps its texts unchanged, so commands to a CI system are escaped in a form that the loader reads.
    const printed = printManifest(documents, (text) => (disarm(text) === text ? null : safeJson(text, 0)));
    io.stdout.write(disarm(printed));
  }
  return errors.length > 0 ? ExitCode.couldNotRun : ExitCode.done;
});

/** The value as JSON, with a marker for each tag, as in plans: `{"$secret": "NAME"}`. */
function jsonOf(value: Printable): Json {
  if (value === null || typeof value !== 'object') return value;
  if ('tag' in value) return { [value.tag.replace('!', '$')]: jsonOf(value.value) };
  if ('members' in value) return objectFrom(value.members.map(([name, part]) => [name, jsonOf(part)]));
  return value.map(jsonOf);
}
