import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type DnsRecord, type Publication, recordText } from '../model/documents.ts';
import { fail, systemCode } from '../model/failure.ts';

export interface DnsChecker {
  check(record: DnsRecord): Promise<Publication>;
  /** Ends all queries; their answer is `unknown`. */
  cancel(): void;
}

interface DnsOptions {
  /** `ADDRESS:PORT` of the name server to ask; `null`: those of the system. */
  readonly server: string | null;
  /** Milliseconds for the first try; each further one waits longer. */
  readonly timeout: number;
}

/** Throws a Failure if `server` is not a name server. */
export function createDnsChecker({ server, timeout }: DnsOptions): DnsChecker {
  const resolver = new Resolver({ timeout, tries: 2 });
  if (server !== null) {
    // Node crashes for a port that does not exist.
    const port = isIP(server) ? 53 : Number(/:(\d+)$/.exec(server)?.[1] ?? 53);
    try {
      if (port < 1 || port > 65_535) throw new RangeError('There is no such port.');
      resolver.setServers([server]);
    } catch {
      const hint = 'Write an address and port, such as 1.1.1.1:53 or [2606:4700::1111]:53.';
      throw fail('resolver-syntax', `"${server}" is not a name server.`, { hint });
    }
  }
  return {
    async check(record) {
      try {
        return await compare(record, resolver);
      } catch (error) {
        const code = systemCode(error) ?? String(error);
        // Only a server that knows the zone can say that a record is missing.
        if (code === 'ENODATA' || code === 'ENOTFOUND') return missing;
        return { state: 'unknown', found: [], detail: reasons[code] ?? `the resolver failed (${code})` };
      }
    },
    cancel: () => resolver.cancel(),
  };
}

async function compare(record: DnsRecord, resolver: Resolver): Promise<Publication> {
  switch (record.type) {
    case 'CNAME': {
      const found = (await resolver.resolveCname(record.name)).map(hostName);
      return publication(found, found.includes(record.value) ? null : 'it points to another host');
    }
    case 'MX': {
      const answers = await resolver.resolveMx(record.name);
      const found = answers.map(({ priority, exchange }) => `${priority} ${hostName(exchange)}`);
      if (!found.includes(recordText(record))) return publication(found, 'there are other MX records');
      // The mail provider accepts a MAIL FROM domain with exactly one MX record.
      return publication(found, found.length === 1 ? null : 'there must be no other MX record');
    }
    case 'TXT': {
      const wanted = wordsOf(record.value);
      const [first = ''] = wanted;
      const texts = (await resolver.resolveTxt(record.name)).map((parts) => parts.join(''));
      // A name may have many texts; only those with the same first word (`v=spf1`) compete with the record.
      const found = texts.filter((text) => (wordsOf(text)[0] ?? '') === first);
      if (found.length > 1) return publication(found, `there must be only one ${first} record`);
      const isSame = found.some((text) => wordsOf(text).join(' ') === wanted.join(' '));
      return publication(found, isSame ? null : 'its text is different');
    }
  }
}

/** @param wrong why the records found do not match, if there are any */
function publication(found: readonly string[], wrong: string | null): Publication {
  if (found.length === 0) return missing;
  return { state: wrong === null ? 'published' : 'wrong', found, detail: wrong };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** The root is the host of a record that says that a domain takes no mail. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '') || '.';
}

const missing: Publication = { state: 'missing', found: [], detail: null };

const reasons: Readonly<Record<string, string>> = {
  ETIMEOUT: 'the resolver did not answer in time',
  ESERVFAIL: 'the resolver reports a failure of its own (SERVFAIL)',
  EREFUSED: 'the resolver refuses to answer (REFUSED)',
  ECONNREFUSED: 'nothing listens at the resolver',
  ECANCELLED: 'the query was cancelled',
};
