// Tables made from schemas/ and from lists in src/.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { sentence, table } from './lines.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program's lists: pure data, so they can be bundled and looked at. */
async function lists() {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export { builtInKinds } from './src/kinds/index.ts'; export { lintRules } from './src/model/lint.ts';",
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

const schema = (name) => JSON.parse(readFileSync(`${root}schemas/${name}.schema.json`, 'utf8'));

/** Fields of every kind are described once, in the text. */
const everywhere = ['kind', 'ensure', 'lifecycle', 'id'];

/** One section for every kind: its key and its fields. */
export async function kinds() {
  const { builtInKinds } = await lists();
  // The others are only read, to be referred to.
  const declared = builtInKinds.all.filter(({ name }) => existsSync(`${root}schemas/${name}.schema.json`));
  return declared.map((kind) => kindSection(kind, schema(kind.name))).join('\n\n');
}

function kindSection(kind, { description, properties, $defs = {} }) {
  const keys = kind.keyFields.map(({ name }) => name);
  const names = Object.keys(properties).filter((name) => !everywhere.includes(name));
  const rows = names.map((name) => {
    const property = properties[name];
    const isKey = keys.includes(name);
    const folds = kind.keyFields.some((field) => field.name === name && field.foldCase);
    return [
      `\`${name}\``,
      isKey ? 'key' : typeOf(property),
      `${sentence(property.description)}${choicesOf(property)}`,
      isKey ? (folds ? 'ignoring case' : 'exactly') : howOf(kind.fields[name], property),
    ];
  });
  const rule = $defs.rule;
  return [
    `### ${kind.name}`,
    description,
    `Address: \`${[kind.name, ...keys.map((key) => key.toUpperCase())].join('/')}\`.${pinOf(kind)}`,
    table(['Field', 'Type', 'Meaning', 'Compared'], rows),
    ...(rule ? ['Each rule:', memberTable(rule)] : []),
    `Set by the tenant; an error in a manifest: ${kind.serverOwned.map((name) => `\`${name}\``).join(', ')}.`,
  ].join('\n\n');
}

function pinOf({ can }) {
  return `${can.pin ? ' `id` may pin the object.' : ''}${can.rename ? ' `lifecycle.renamedFrom` renames it.' : ''}`;
}

/** How a field is compared, and what clears it, where the API can. */
function howOf(field, { type, enum: choices }) {
  const isClearable = [type ?? []].flat().includes('null') || (choices ?? []).includes(null);
  return isClearable ? comparedAs(field) : comparedAs(field).replace(/; .* clears?$/, '; cannot be cleared');
}

/** How a field is compared, and what `null` does; src/kinds/kind.ts lists the types of fields. */
function comparedAs(field) {
  switch (field.is) {
    case 'value':
      return `exactly${field.nameOf ? `, unless \`${field.nameOf}\` is equal` : ''}; \`null\` clears`;
    case 'text':
      return 'ignoring line endings; `null` and `""` clear';
    case 'email':
      return 'ignoring case; `null` clears';
    case 'set':
      return 'as a set; `null` and `[]` clear';
    case 'reference':
      return 'by `id`, else by `name`; `null` clears';
    case 'records':
      return 'as a set of records; `null` and `[]` clear';
    case 'json':
      return field.declares === 'members'
        ? 'as JSON, **member by member**; a `null` member is removed'
        : 'as JSON, **as a whole**; `null` and `{}` clear';
    default:
      throw new Error(`There is no description of "${field.is}" fields.`);
  }
}

function typeOf({ type, enum: choices, const: only, $ref }) {
  if ($ref) return 'mapping';
  if (choices || only !== undefined) return 'choice';
  const words = {
    string: 'text',
    object: 'mapping',
    array: 'list',
    boolean: 'true/false',
    integer: 'number',
  };
  const types = [type ?? 'anything'].flat().filter((name) => name !== 'null');
  return types.map((name) => words[name] ?? name).join(' or ');
}

function choicesOf({ enum: choices, const: only }) {
  if (only !== undefined) return ` Always \`${only}\`.`;
  const values = (choices ?? []).filter((value) => value !== null);
  return values.length === 0 ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
}

function memberTable({ properties, required = [] }) {
  return table(
    ['Member', 'Type', 'Meaning', ''],
    Object.entries(properties).map(([name, property]) => [
      `\`${name}\``,
      typeOf(property),
      `${sentence(property.description)}${choicesOf(property)}`,
      required.includes(name) ? 'required' : '',
    ]),
  );
}

/** Every setting of the project file and of an environment. */
export async function settings() {
  const project = schema('project');
  const { environment, auth, overlay } = project.$defs;
  return [
    settingTable({ ...project.properties, lint: undefined }, ''),
    '### One environment',
    settingTable(
      pick(environment.properties, (member) => !member.properties),
      '',
    ),
    ...Object.entries(pick(environment.properties, (member) => member.properties)).flatMap(
      ([name, member]) => [
        `#### \`${name}\``,
        sentence(member.description ?? member.title),
        settingTable(member.properties, name),
      ],
    ),
    '#### `auth`',
    sentence(auth.description),
    settingTable(auth.properties, 'auth'),
    '#### Each of `overlays`',
    sentence(overlay.description),
    settingTable(overlay.properties, 'overlays'),
  ].join('\n\n');
}

function pick(members, wanted) {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => wanted(member)));
}

function settingTable(properties, parent) {
  const rows = Object.entries(properties).filter(([, property]) => property !== undefined);
  return table(
    ['Setting', 'Meaning', 'Default'],
    rows.map(([name, property]) => [
      `\`${parent === '' || parent === 'auth' ? name : `${parent}.${name}`}\``,
      `${sentence(property.description ?? 'See below')}${choicesOf(property)}`,
      property.default === undefined ? '' : `\`${textOf(property.default)}\``,
    ]),
  );
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Every member of a descriptor. */
export async function descriptor() {
  const { properties, $defs } = schema('kind');
  const { list, ...others } = properties;
  return [
    settingTable({ ...others, list: { description: list.description } }, ''),
    '### `list`',
    settingTable(list.properties, 'list'),
    '### Each of `fields`',
    `One word, or a mapping with \`is\`. ${sentence($defs.simple.description)}`,
    settingTable({ ...$defs.told.properties, type: $defs.type }, ''),
  ].join('\n\n');
}

/** Every rule of the lint with its level. */
export async function lint() {
  const { lintRules } = await lists();
  return table(
    ['Rule', 'Level', 'Means'],
    Object.entries(lintRules).map(([name, { level, means }]) => [
      `[\`${name}\`](troubleshooting.md#${name})`,
      level,
      means,
    ]),
  );
}

/** Inputs and outputs of the GitHub Action. */
export async function action() {
  const { inputs, outputs } = parse(readFileSync(`${root}action.yml`, 'utf8'));
  const rows = (members) =>
    Object.entries(members).map(([name, { description, required, default: otherwise }]) => [
      `\`${name}\``,
      sentence(description),
      required ? 'required' : otherwise ? `default \`${otherwise}\`` : '',
    ]);
  return [
    table(['Input', 'Meaning', ''], rows(inputs)),
    table(['Output', 'Meaning', ''], rows(outputs)),
  ].join('\n\n');
}

/** The file of one kind, whole. */
export const kindFile = async () =>
  `\`\`\`ts\n// src/kinds/verified-domain.ts\n${readFileSync(`${root}src/kinds/verified-domain.ts`, 'utf8')}\`\`\``;

export const plan = async () => members(schema('plan'));
export const result = async () => members(schema('result'));

/** Every member of a format by its path. */
function members(root) {
  const rows = [];
  const walk = (node, path) => {
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      const target = resolve(property);
      const at = path === '' ? name : `${path}.${name}`;
      rows.push([
        `\`${at}\``,
        `${sentence(property.description ?? target.description ?? target.title)}${choicesOf(target)}`,
      ]);
      walk(target, at);
      const items = target.items ? resolve(target.items) : null;
      if (items?.properties) walk(items, `${at}[]`);
    }
  };
  const resolve = (node) => (node.$ref ? root.$defs[node.$ref.slice('#/$defs/'.length)] : node);
  walk(root, '');
  return table(['Member', 'Meaning'], rows);
}
