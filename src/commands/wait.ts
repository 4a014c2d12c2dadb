import { type IdentityStatus, isSettled, type Status } from '../model/status.ts';
import { oneLine } from '../report/safe.ts';
import { verificationWords } from '../report/status.ts';
import type { Io } from './io.ts';

/** What `status --wait` waits for: what manifests declare; where they declare none of it, all that there is. */
function awaited({ identities }: Status): readonly IdentityStatus[] {
  const declared = identities.filter((identity) => identity.declared);
  return declared.length > 0 ? declared : identities;
}

/** Whether nothing is left to wait for. */
export function isOver(status: Status): boolean {
  return awaited(status).every(isSettled);
}

/** Tells on stderr whose verification has moved between two readings. */
export function tellChanges(before: Status, after: Status, io: Io): void {
  const was = new Map(before.identities.map(({ address, verification }) => [address, verification]));
  for (const { address, verification } of after.identities) {
    const then = was.get(address);
    if (then === verification) continue;
    const from = then === undefined ? 'new' : verificationWords[then];
    io.stderr.write(`${oneLine(address)}: ${from} -> ${verificationWords[verification]}\n`);
  }
}

/** Tells on stderr what was waited for in vain. */
export function tellUnsettled(status: Status, io: Io): void {
  const open = awaited(status).filter((identity) => !isSettled(identity));
  const names = open.map(({ address, verification }) => `${address} (${verificationWords[verification]})`);
  io.stderr.write(`The time is up. Not verified: ${names.map(oneLine).join(', ')}.\n`);
}
