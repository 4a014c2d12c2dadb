import { validators } from '../../src/generated/validators.js';
import { type Descriptor, descriptorFrom as fromWritten } from '../../src/kinds/descriptor.ts';
import type { Json } from '../../src/model/json.ts';

/** What a document describes, which has to fit the schema. */
export function descriptorFrom(document: Json): Descriptor {
  if (!validators.kind(document)) throw new TypeError(JSON.stringify(validators.kind.errors));
  return fromWritten(document);
}
