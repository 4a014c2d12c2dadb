import { readUrl } from '../../loader/connection.ts';
import { failure } from '../../model/failure.ts';

/** What the manifests begin with. */
export const starts = ['examples', 'export'] as const;

/** The systems for which there is a pipeline. */
export const pipelines = ['github', 'gitlab', 'both', 'none'] as const;

/** Everything that decides what a new project looks like. */
export interface Choices {
  /** The tenant's base URLs; `null`: an embedded tenant only. */
  readonly tenant: { readonly identity: string; readonly profiles: string | null } | null;
  readonly from: (typeof starts)[number];
  readonly pipelines: (typeof pipelines)[number];
}

/** What the command line says; a member that it leaves open is `undefined`. */
export interface Given {
  readonly identity: string | undefined;
  readonly profiles: string | undefined;
  readonly from: Choices['from'] | undefined;
  readonly pipelines: Choices['pipelines'] | undefined;
  withDefaults(): Choices;
}

/** Throws a Failure for addresses that are none. */
export function chooseFrom(args: Omit<Given, 'withDefaults'>): Given {
  const { identity, profiles, from, pipelines: wanted } = args;
  if (identity !== undefined) baseUrl(identity, '--identity');
  if (profiles !== undefined) baseUrl(profiles, '--profiles');
  if (profiles !== undefined && identity === undefined) {
    throw failure('usage', 'A tenant needs the base URL of its identity service.', {
      hint: 'Give it with --identity.',
    });
  }
  return {
    identity,
    profiles,
    from,
    pipelines: wanted,
    withDefaults: () => ({
      tenant: identity === undefined ? null : { identity, profiles: profiles ?? null },
      from: from ?? 'examples',
      pipelines: wanted ?? 'both',
    }),
  };
}

/**
 * `text` where the project can have it as the base URL of a service. Throws a Failure where it cannot, without the text
 * in it: there may be a password in that.
 */
export function baseUrl(text: string, name = 'The address'): string {
  const read = readUrl(text);
  if ('url' in read) return text;
  throw failure('invalid-url', `${name} cannot be used: ${read.problem}.`, {
    hint: 'For example: https://acme.api.example.com',
  });
}
