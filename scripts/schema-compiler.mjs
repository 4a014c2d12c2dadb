// The one compiler of schemas: the build makes modules of those in schemas/ with it, and bundles it for the schemas of
// kinds that a project describes, which are only known when the program runs.
import Ajv2020 from 'ajv/dist/2020.js';
import lifecycle from '../schemas/lifecycle.schema.json' with { type: 'json' };

export function newCompiler(options) {
  const ajv = new Ajv2020({
    allErrors: true,
    ownProperties: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    verbose: true,
    ...options,
  });
  return ajv.addSchema(lifecycle, 'lifecycle.schema.json');
}

let compiler;
/** By the text of their schemas: a program that opens a project again and again needs, and keeps, one of each. */
const validators = new Map();

/**
 * The validator of a schema that the program made. That is not checked itself: to compile its schema takes the longest. Nor
 * is the code optimized, which takes a third of the rest, and longer than it saves.
 */
export function compile(schema) {
  compiler ??= newCompiler({ meta: false, validateSchema: false, code: { optimize: false } });
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? compiler.compile(schema);
  validators.set(text, validate);
  return validate;
}
