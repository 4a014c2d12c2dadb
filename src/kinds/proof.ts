import { sha256 } from '../model/digest.ts';
import { type JsonObject, textOf } from '../model/json.ts';
import type { Kind } from './kind.ts';

/** The member of a descriptor that says for which descriptor `kind check` has succeeded. */
export const proofMember = 'proven';

/** The digest of a descriptor as it is written, without its words for people. */
export function descriptorDigest({
  [proofMember]: _proof,
  summary: _summary,
  ...content
}: JsonObject): string {
  return sha256(content);
}

/**
 * The digest of a kind's descriptor, and a notice where that has changed since `kind check` succeeded, or was never checked.
 */
export function proofOf(kind: string, document: JsonObject): Pick<Kind, 'notice' | 'descriptorDigest'> {
  const digest = descriptorDigest(document);
  const proof = textOf(document, proofMember);
  if (proof === digest) return { descriptorDigest: digest };
  const why = proof === null ? '' : ': its descriptor has changed since it was checked';
  const message = `${kind} is unproven${why}`;
  const hint = `Run \`tenantctl kind check ${kind} --write\`, which only reads the tenant.`;
  const notice: Kind['notice'] = { code: 'kind-unproven', severity: 'warning', message, hint };
  return { descriptorDigest: digest, notice };
}
