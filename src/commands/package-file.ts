import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(createRequire(import.meta.url).resolve('tenantctl/package.json'));

/** The absolute path of a file that the package contains besides the program: examples, schemas, the codes' page. */
export function packageFile(path: string): string {
  return join(root, path);
}
