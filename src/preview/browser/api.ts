import {
  type Refused,
  type RenderedTemplate,
  type RenderQuestion,
  type TemplateList,
  tokenHeader,
} from '../protocol.ts';

/** All templates and the problems of the project. Rejects with the server's message. */
export function fetchTemplates(): Promise<TemplateList> {
  return request('/api/templates');
}

/** One template rendered. Rejects with the server's message. */
export function fetchRendered(question: RenderQuestion): Promise<RenderedTemplate> {
  return request('/api/render', question);
}

/** Page and server come from one build, so an answer has the type that belongs to its path. */
async function request<T>(path: string, question?: RenderQuestion): Promise<T> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="token"]')?.content ?? '';
  const headers = { [tokenHeader]: token };
  const response = await (question === undefined
    ? fetch(path, { headers })
    : fetch(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(question),
      }));
  if (!response.ok) {
    const { error }: Refused = await response.json();
    throw new Error(error);
  }
  return response.json();
}
