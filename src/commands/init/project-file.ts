import { isMap, isScalar, parseDocument } from 'yaml';
import type { Choices } from './choices.ts';

/** The example's project file for this project; its comments stay. */
export function projectFile(example: string, { tenant, from }: Choices): string {
  const text = example.replace('$schema=../schemas/', '$schema=.tenantctl/schemas/');
  if (tenant === null && from === 'examples') return text;
  const document = parseDocument(text, { keepSourceTokens: true, logLevel: 'silent' });
  const production = ['environments', 'production'];
  if (tenant !== null) {
    document.setIn([...production, 'identity', 'baseUrl'], tenant.identity);
    if (tenant.profiles === null) document.deleteIn([...production, 'profiles']);
    else document.setIn([...production, 'profiles', 'baseUrl'], tenant.profiles);
  }
  if (from === 'export') {
    // An export writes ids and texts as they are, and knows nothing of the examples' objects.
    for (const name of ['sandbox', 'production']) document.deleteIn(['environments', name, 'variables']);
    for (const part of ['overlays', 'protect', 'prune']) document.deleteIn([...production, part]);
    if (tenant !== null) {
      document.setIn(['defaultEnvironment'], 'production');
      const environments = document.get('environments');
      if (isMap(environments)) {
        environments.delete('sandbox');
        // Both were about the embedded tenant, or stood between the two.
        environments.commentBefore = null;
        const [first] = environments.items;
        if (isScalar(first?.key)) first.key.spaceBefore = false;
      }
    }
  }
  return document.toString({ lineWidth: 0, singleQuote: true });
}
