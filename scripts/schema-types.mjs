// The TypeScript types of what the schemas describe, and the defaults of its members: what a schema says stands nowhere
// else. Knows the keywords that schemas/ uses. Conditions (`allOf`, `pattern`) narrow values further than types can say.

/** The name of the type of a schema, or of a part with a title. */
export const typeNamed = (text) =>
  text.replace(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, first) => first.toUpperCase());

/**
 * @param {string} name of the schema, which its type gets too
 * @returns {string} a module: a type for the schema, for each of its definitions, and for each object in it that has a
 * title; `defaultTYPE` are the defaults of the members of one of them
 */
export function typesOf(name, schema) {
  const { $defs = {} } = schema;
  const imports = new Set();
  const named = new Map([[typeNamed(name), schema]]);

  function typeOf(schema) {
    const { $ref, enum: choices, anyOf, oneOf, properties, title } = schema;
    if ($ref) return referred($ref);
    if ('const' in schema) return JSON.stringify(schema.const);
    if (choices) return union(choices.map((choice) => JSON.stringify(choice)));
    if (schema.if && schema.else) return union([schema.then, schema.else].map(typeOf));
    if (oneOf ?? (!properties && anyOf)) return union((oneOf ?? anyOf).map(typeOf));
    if (!properties || !title) return union([schema.type ?? 'any'].flat().map((type) => bare(type, schema)));
    named.set(typeNamed(title), schema);
    return typeNamed(title);
  }

  function referred(ref) {
    const [, file, part = file] = /^(?:(\w+)\.schema\.json)?(?:#\/\$defs\/(\w+))?$/.exec(ref);
    if (file) {
      imports.add(`import type { ${typeNamed(part)} } from './${file}.ts';\n`);
      return typeNamed(part);
    }
    const { title: _title, ...definition } = $defs[part];
    if (!definition.properties) return typeOf(definition);
    named.set(typeNamed(part), definition);
    return typeNamed(part);
  }

  function bare(type, schema) {
    const {
      properties,
      additionalProperties,
      items,
      prefixItems,
      minItems,
      maxItems,
      required = [],
    } = schema;
    if (type === 'any') return 'Json';
    if (type === 'integer') return 'number';
    if (prefixItems) return `readonly [${prefixItems.map(typeOf).join(', ')}]`;
    if (type === 'array' && maxItems === minItems && maxItems > 0)
      return `readonly [${Array(maxItems).fill(typeOf(items)).join(', ')}]`;
    if (type === 'array') return `readonly ${items ? wrapped(typeOf(items)) : 'Json'}[]`;
    if (type !== 'object') return type;
    const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : null;
    if (others) return `Readonly<Record<string, ${others}>>`;
    if (!properties) return 'JsonObject';
    const members = Object.entries(properties).map(([member, value]) => {
      const comment = value.description ? `/** ${value.description.replaceAll('*/', '*\\/')} */\n` : '';
      const mark = required.includes(member) ? '' : '?';
      return `${comment}readonly ${JSON.stringify(member)}${mark}: ${typeOf(value)};`;
    });
    return `{\n${members.join('\n')}\n}`;
  }

  const declarations = [];
  // Each declaration may name further types.
  for (const [type, { title: _title, ...content }] of named) {
    declarations.push(`/** ${content.description} */\nexport type ${type} = ${typeOf(content)};`);
    const defaults = Object.entries(content.properties ?? {}).filter(([, value]) => 'default' in value);
    if (defaults.length === 0) continue;
    const values = Object.fromEntries(defaults.map(([member, value]) => [member, value.default]));
    declarations.push(`export const default${type} = ${JSON.stringify(values, null, 2)} as const;`);
  }
  const json = `type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}`;
  return `${[...imports].join('')}\n${json}\n\n${declarations.join('\n\n')}\n`;
}

const union = (types) => [...new Set(types)].join(' | ');
const wrapped = (type) => (/\||^readonly /.test(type) ? `(${type})` : type);
