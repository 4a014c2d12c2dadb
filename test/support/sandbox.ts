import { getText, isArray, isObject, type Json, mapMembers } from '../../src/model/json.ts';
import {
  type SandboxOptions as EmbeddedOptions,
  type Variations as EmbeddedVariations,
  ways as embeddedWays,
  parseVariations,
  referenceName,
  type Sandbox,
  startSandbox as startEmbedded,
  type TenantState,
} from '../../src/sandbox/index.ts';
import { seededState, seedFile } from './seed.ts';

export type { Sandbox } from '../../src/sandbox/index.ts';

/** What only tests have a tenant do in more than one way. The first is the contract. */
const waysOfTests = {
  /** Whether `[]` inside an object is answered as null. */
  emptyAsNull: [false, true],
  /** Whether lists without a meaningful order are answered in another order. */
  shuffleLists: [false, true],
  /** Whether the name next to an id is answered from the object with that id. */
  resolveNames: [false, true],
  /** Whether every page of a list of the notification interface is the first one (a broken tenant). */
  repeatPages: [false, true],
  /** Whether every list is answered whole, whatever page is asked for. */
  unpaged: [false, true],
  /** Whether others change the order of lists before a further page is read: never, once, or each time. */
  listsChange: ['never', 'once', 'always'],
  retryAfter: ['seconds', 'date'],
} as const;

export const ways = { ...embeddedWays, ...waysOfTests };

type OfTests = { readonly [K in keyof typeof waysOfTests]: (typeof waysOfTests)[K][number] } & {
  /** Called before a further page of a list is selected: what others do meanwhile. */
  readonly beforeFurtherPage: () => void;
  /** The reads of the list of senders after which MAIL FROM is verified; senders are one read before. Left out: never. */
  readonly verifyAfter: number;
};

type Around = NonNullable<EmbeddedOptions['around']>;

export type Variations = EmbeddedVariations & OfTests;

export interface SandboxOptions extends Omit<EmbeddedOptions, 'variations' | 'around'> {
  readonly variations?: Partial<Variations>;
}

/** Starts the embedded tenant, with what tests have it do around each request. */
export async function startSandbox({ variations = {}, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  const { emptyAsNull, shuffleLists, resolveNames, repeatPages, unpaged, retryAfter, ...others } = variations;
  const { beforeFurtherPage, listsChange = 'never', verifyAfter, ...embedded } = others;
  const given: { sandbox?: Sandbox } = {};
  const wrappers: Around[] = [
    (asked, next) => {
      if (isFurtherPage(asked.search)) beforeFurtherPage?.();
      return next(asked);
    },
    changingLists(listsChange, () => given.sandbox?.state),
    ...(verifyAfter === undefined ? [] : [verifying(verifyAfter, () => given.sandbox?.state)]),
    ...(repeatPages ? [withoutParameters(['offset'])] : []),
    ...(unpaged ? [withoutParameters(['limit', 'offset'])] : []),
    ...(retryAfter === 'date' ? [datingPauses(() => options.clock?.now?.() ?? Date.now())] : []),
    ...(emptyAsNull || shuffleLists ? [rewriting(emptyAsNull ?? false, shuffleLists ?? false)] : []),
    ...(resolveNames ? [resolvingNames(() => given.sandbox?.state)] : []),
  ];
  const around: Around = wrappers.reduceRight<Around>(
    (inner, outer) => (asked, next) => outer(asked, (changed) => inner(changed, next)),
    (asked, next) => next(asked),
  );
  const isOfExamples = options.seed === seedFile && options.kinds === undefined && options.data === undefined;
  const seed = isOfExamples ? null : (options.seed ?? null);
  given.sandbox = await startEmbedded({ ...options, seed, variations: embedded, around });
  if (isOfExamples) Object.assign(given.sandbox.state, seededState());
  return given.sandbox;
}

const isFurtherPage = (search: string) => Number(new URLSearchParams(search).get('offset') ?? 0) > 0;

/** Somebody moves the first record of each list to its end: another order, which means nothing, shifts the rows of all pages. */
function changingLists(
  listsChange: Variations['listsChange'],
  stateOf: () => TenantState | undefined,
): Around {
  let left = { never: 0, once: 1, always: Number.POSITIVE_INFINITY }[listsChange];
  return (asked, next) => {
    const state = stateOf();
    if (left > 0 && state && isFurtherPage(asked.search)) {
      left -= 1;
      const lists: readonly unknown[] = [...Object.values(state), ...Object.values(state.objects)];
      for (const records of lists) if (Array.isArray(records)) records.push(...records.splice(0, 1));
    }
    return next(asked);
  };
}

function verifying(reads: number, stateOf: () => TenantState | undefined): Around {
  let left = reads;
  return (asked, next) => {
    const reply = next(asked);
    const state = stateOf();
    if (asked.route.operation.name !== 'list-from-addresses' || !state) return reply;
    left -= 1;
    for (const sender of left <= 1 ? state.senders : [])
      sender.verificationStatus = verified(sender.verificationStatus);
    for (const one of left <= 0 ? state.mailFrom : [])
      one.mailFromDomainStatus = verified(one.mailFromDomainStatus);
    return reply;
  };
}

const verified = <T extends string>(status: T) => (status === 'PENDING' ? 'SUCCESS' : status);

/** Variations as a command line has them, those of tests included. */
export function variationsFrom(texts: readonly string[]): Partial<Variations> {
  const isOfTests = (text: string) =>
    /^(emptyAsNull|shuffleLists|resolveNames|repeatPages|unpaged)=true$/.test(text);
  const own = texts.filter(isOfTests).map((text) => [text.replace('=true', ''), true] as const);
  return { ...Object.fromEntries(own), ...parseVariations(texts.filter((text) => !isOfTests(text))) };
}

/** Does not see these parameters of reads of the notification interface. */
const withoutParameters =
  (names: readonly string[]): Around =>
  (asked, next) => {
    if (asked.route.operation.method !== 'GET' || asked.path.startsWith('/api')) return next(asked);
    const query = new URLSearchParams(asked.search);
    for (const name of names) query.delete(name);
    return next({ ...asked, search: query.toString() });
  };

/** The pauses that a refusal asks for, as a date. */
const datingPauses =
  (now: () => number): Around =>
  (asked, next) => {
    try {
      return next(asked);
    } catch (error) {
      if (!(error instanceof Error && 'headers' in error && isObject(jsonOf(error.headers)))) throw error;
      const headers = jsonOf(error.headers);
      const seconds = isObject(headers) ? getText(headers, 'retry-after') : null;
      if (seconds === null) throw error;
      // The date is cut to whole seconds: without the extra second it could be too early.
      const date = new Date(now() + (Number(seconds) + 1) * 1000).toUTCString();
      throw Object.assign(error, { headers: { 'retry-after': date } });
    }
  };

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** Answers with `emptyAsNull` and `shuffleLists` applied (api-notes, "server rewrites"). */
function rewriting(emptyAsNull: boolean, shuffleLists: boolean): Around {
  const rewrite = (value: Json): Json => {
    if (isArray(value)) return shuffleLists ? value.map(rewrite).toReversed() : value.map(rewrite);
    if (!isObject(value)) return value;
    return mapMembers(value, (member) =>
      emptyAsNull && isArray(member) && member.length === 0 ? null : rewrite(member),
    );
  };
  return (asked, next) => {
    const reply = next(asked);
    const { body } = reply;
    if (body === undefined) return reply;
    // The outermost list may be a page of a longer list, so its order is kept.
    return { ...reply, body: isArray(body) ? body.map(rewrite) : rewrite(body) };
  };
}

/** The names of rules and applications are those of the objects with their ids. */
function resolvingNames(stateOf: () => TenantState | undefined): Around {
  const nameOf = (id: Json | undefined) => {
    const state = stateOf();
    return state && typeof id === 'string' ? referenceName(state, id) : null;
  };
  const resolve = (value: Json): Json => {
    if (isArray(value)) return value.map(resolve);
    if (!isObject(value)) return value;
    const { beforeProvisioningRule: rule = null, applicationId } = value;
    const ruleName = isObject(rule) ? nameOf(rule.id) : null;
    const applicationName = nameOf(applicationId);
    return {
      ...value,
      ...(isObject(rule) && ruleName !== null && { beforeProvisioningRule: { ...rule, name: ruleName } }),
      ...(applicationName !== null && { applicationName }),
    };
  };
  return (asked, next) => {
    const reply = next(asked);
    return reply.body === undefined ? reply : { ...reply, body: resolve(reply.body) };
  };
}
