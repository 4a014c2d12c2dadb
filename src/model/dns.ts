/** A DNS record that has to be published; names and hosts are absolute, in lower case, without the last dot. */
export type DnsRecord =
  | { readonly type: 'CNAME'; readonly name: string; readonly value: string }
  | { readonly type: 'MX'; readonly name: string; readonly priority: number; readonly value: string }
  | { readonly type: 'TXT'; readonly name: string; readonly value: string };

/** Whether public DNS has a record; `unknown` where the resolver gave no usable answer. */
export interface Publication {
  readonly state: 'published' | 'missing' | 'wrong' | 'unknown';
  /** What public DNS has in the record's place, as text. */
  readonly found: readonly string[];
  /** Why it is wrong or unknown. */
  readonly detail: string | null;
}

/** The records in a tenant's answer, and why others were refused. */
export interface DnsRecords {
  readonly records: readonly DnsRecord[];
  readonly refused: readonly string[];
}

/** A record's value as one text: `10 mail.example`. */
export function recordText(record: DnsRecord): string {
  return record.type === 'MX' ? `${record.priority} ${record.value}` : record.value;
}
