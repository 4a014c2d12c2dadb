/** The one request that deletes several templates, and the part of it for one of them. */
import { expect, it } from 'vitest';
import { notificationTemplate } from '../../src/kinds/notification-template.ts';
import type { Request } from '../../src/model/plan.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { answers, liveFrom } from '../support/plan.ts';

const { mergeRemovals, removalOf } = notificationTemplate;

/** What names a template in a request. */
const row = (key: string, locale = 'en') => ({ key, medium: 'EMAIL', locale });

function removal(key: string, locale = 'en'): Request {
  const live = liveFrom(answers.template(key));
  const input = { key: [key, 'EMAIL', locale], fields: {}, changed: new Set<string>(), live };
  const write = notificationTemplate.remove({ ...input, settings: contractSettings });
  const [request] = 'requests' in write ? write.requests : [];
  if (!request) throw new Error('A template is deleted by a request.');
  return request;
}

it('names all of them, in their order', () => {
  const all = mergeRemovals?.([removal('a'), removal('b', 'de'), removal('c')]);
  expect(all).toEqual({ ...removal('a'), body: [row('a'), row('b', 'de'), row('c')] });
});

it('is cut to the one template that has all parts of a key', () => {
  const others = [row('a'), row('b'), row('a', 'de'), 'no template'];
  const all = { ...removal('a'), body: others };
  expect(removalOf?.(all, ['a', 'EMAIL', 'de'])).toEqual({ ...removal('a'), body: [row('a', 'de')] });
  expect(removalOf?.(all, ['a', 'SLACK', 'de']).body).toEqual([]);
  expect(removalOf?.({ ...all, body: null }, ['a', 'EMAIL', 'de']).body).toEqual([]);
});

it('is made of one request at least', () => {
  expect(() => mergeRemovals?.([])).toThrow('There is nothing to merge.');
});
