import type { JsonObject } from '../model/json.ts';

/** The header that proves a request comes from the page itself. */
export const tokenHeader = 'x-preview-token';

/** The answer to `GET /api/templates`. The page shows all its texts as text. */
export interface TemplateList {
  readonly environment: string;
  /** The files do not load, so the templates are those of an earlier state. */
  readonly isBroken: boolean;
  /** Files or the tenant are being read again. */
  readonly isReading: boolean;
  /** When the state that is shown was loaded, as an ISO date; `null` if none has loaded yet. */
  readonly loadedAt: string | null;
  /** Those that belong to no template; if the files do not load, all errors. */
  readonly problems: {
    readonly count: number;
    /** List items: HTML of the program, in which all texts are escaped. */
    readonly markup: string;
  };
  readonly templates: readonly ListedTemplate[];
}

export interface ListedTemplate {
  readonly address: string;
  readonly key: string;
  readonly medium: string;
  readonly locale: string;
  readonly place: string;
  /** A link that opens the manifest in an editor. */
  readonly editor: string;
  /** The template that the declared one replaces; `not-read` if the tenant was not asked. */
  readonly base: 'tenant' | 'default' | 'nothing' | 'not-read';
  readonly isRemoved: boolean;
  readonly differs: boolean;
  readonly problems: TemplateList['problems'];
}

/** The body of `POST /api/render`. */
export interface RenderQuestion {
  readonly address: string;
  /** `null` asks for sample values. */
  readonly context: JsonObject | null;
}

/** The answer to `POST /api/render`. */
export interface RenderedTemplate {
  readonly context: JsonObject;
  /** Both sides as the report shows them: HTML of the program, in which all texts of templates are escaped. */
  readonly markup: string;
}
