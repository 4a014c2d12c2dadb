import type { ApplyEvent } from '../applier/events.ts';
import type { ClientEvent } from '../client/event.ts';
import { printable } from '../report/safe.ts';
import { type Io, isProgressWanted, type Verbosity, widthOf } from './io.ts';

/** Tells on stderr what happens during long work: one line that renews itself, or with `--verbose` a log. */
export interface Progress {
  onClient(event: ClientEvent): void;
  onApply(event: ApplyEvent): void;
  /** Takes the line away. */
  end(): void;
}

export function createProgress(io: Io, args: Verbosity): Progress {
  if (args.verbose && !args.quiet) return trafficLog(io);
  return isProgressWanted(io, args) ? statusLine(io) : silent;
}

const silent: Progress = { onClient() {}, onApply() {}, end() {} };

function trafficLog(io: Io): Progress {
  const log = (text: string | null) => {
    if (text !== null) io.stderr.write(`${printable(text)}\n`);
  };
  return { onClient: (event) => log(clientLog(event)), onApply: (event) => log(applyText(event)), end() {} };
}

function clientLog(event: ClientEvent): string | null {
  switch (event.type) {
    case 'request-started':
      return null;
    case 'request-finished': {
      const { request, result, ms, detail, trackingId } = event;
      const query = new URLSearchParams(request.query).toString();
      const more = [detail, trackingId && `tracking id ${trackingId}`].filter(Boolean).join(', ');
      return `${request.method} ${request.path}${query && `?${query}`} ${result} ${ms} ms${more && ` (${more})`}`;
    }
    case 'rate-limit-wait':
    case 'retrying':
    case 'token-fetched':
      return clientText(event);
  }
}

function statusLine(io: Io): Progress {
  let answered = 0;
  let shown = false;
  const show = (text: string | null) => {
    if (text === null) return;
    const line = printable(text).slice(0, Math.max(0, widthOf(io.stderr) - 1));
    io.stderr.write(`\r\x1b[2K${line}`);
    shown = true;
  };
  return {
    onClient(event) {
      if (event.type !== 'request-finished') return show(clientText(event));
      answered += 1;
      show(`${answered} requests answered …`);
    },
    onApply: (event) => show(applyText(event)),
    end() {
      if (shown) io.stderr.write('\r\x1b[2K');
      shown = false;
    },
  };
}

function clientText(event: ClientEvent): string | null {
  switch (event.type) {
    case 'request-started':
    case 'request-finished':
      return null;
    case 'rate-limit-wait':
      return `waiting ${seconds(event.ms)}: the tenant's limit for ${event.version}`;
    case 'retrying':
      return `trying ${event.request.method} ${event.request.path} again in ${seconds(event.ms)}: ${event.reason}`;
    case 'token-fetched':
      return 'signed in';
  }
}

function applyText(event: ApplyEvent): string | null {
  switch (event.type) {
    case 'checking':
      return `checking ${event.objects} objects against the plan …`;
    case 'checked':
      return event.resumed > 0 ? `going on with an earlier run: ${event.resumed} changes were begun` : null;
    case 'started':
      return `${event.action} ${event.address} …`;
    case 'waiting':
      return `${event.address}: ${event.why}`;
    case 'finished':
      return `${event.finished}/${event.total} ${event.result.address} ${event.result.outcome}`;
  }
}

function seconds(ms: number): string {
  return `${Math.max(0.1, Math.round(ms / 100) / 10)} s`;
}
