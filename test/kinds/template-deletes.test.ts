/** The one request that deletes several templates. */
import { expect, it } from 'vitest';
import { notificationTemplate } from '../../src/kinds/notification-template.ts';
import type { Request } from '../../src/model/plan.ts';
import { contractSettings } from '../../src/model/settings.ts';

const { mergeRemovals } = notificationTemplate;

/** What names a template in a request. */
const row = (key: string, locale = 'en') => ({ key, medium: 'EMAIL', locale });

function removal(key: string, locale = 'en'): Request {
  const input = { key: [key, 'EMAIL', locale], id: `id-${key}`, settings: contractSettings };
  const write = notificationTemplate.remove(input);
  const [request] = 'requests' in write ? write.requests : [];
  if (!request) throw new Error('A template is deleted by a request.');
  return request;
}

it('names all of them, in their order', () => {
  const all = mergeRemovals?.([removal('a'), removal('b', 'de'), removal('c')]);
  expect(all).toEqual({ ...removal('a'), body: [row('a'), row('b', 'de'), row('c')] });
});

it('is made of one request at least', () => {
  expect(() => mergeRemovals?.([])).toThrow('There is nothing to merge.');
});
