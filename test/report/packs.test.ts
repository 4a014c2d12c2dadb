import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { renderReport } from '../../src/report/index.ts';
import { change, difference, plain, plan } from './fixtures.ts';

it('removes secrets from what a long report compresses', () => {
  const request = { method: 'POST', path: '/x', query: {}, headers: {}, body: 'x'.repeat(19_990) } as const;
  const changes = Array.from({ length: 80 }, (_, index) =>
    change({
      address: `NotificationTemplate/k${index}/EMAIL/en`,
      action: 'update',
      diff: [difference('/body', `s3cr3t ${index}`, `${index}`)],
      requests: [request],
    }),
  );
  const redact = (text: string) => text.replaceAll('s3cr3t', '[secret]');
  const page = renderReport({ is: 'plan', plan: plan(changes) }, 'html', { ...plain, redact });
  const packs = [...page.matchAll(/<template class="pack"[^>]*>([^<]*)</g)].map(([, letters = '']) =>
    gunzipSync(Uint8Array.from(letters, (letter) => letter.charCodeAt(0) - 0x100)).toString(),
  );
  expect(packs).toHaveLength(2);
  expect(packs.join('').match(/\[secret\]/g)?.length).toBe(160);
  expect([page, ...packs].join('')).not.toContain('s3cr3t');
});
