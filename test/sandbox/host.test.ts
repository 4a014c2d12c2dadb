import { describe, expect, it } from 'vitest';
import { parseVariations, VariationSyntaxError } from '../../src/sandbox/index.ts';
import { call, start } from './caller.ts';

describe('a variation from the command line', () => {
  it.each([
    ['jsonText=object', { jsonText: 'object' }],
    ['profileSearchDelete=true', { profileSearchDelete: true }],
    ['experimentalHeader=X-Acme=1', { experimentalHeader: 'X-Acme=1' }],
  ])('%s', (text, parsed) => {
    expect(parseVariations([text])).toEqual(parsed);
  });

  it.each([
    ['jsonText', '"jsonText" is one of text, object, map'],
    ['jsonText=yaml', '"jsonText" is one of text, object, map'],
    ['experimentalHeader=', 'Header=" is not a variation. A variation is NAME=VALUE. Names: jsonText,'],
    ['toString=x', '"toString=x" is not a variation'],
  ])('%s is refused with what would do', (text, message) => {
    expect(() => parseVariations([text])).toThrow(VariationSyntaxError);
    expect(() => parseVariations([text])).toThrow(message);
  });

  it('decides how the embedded tenant answers', async () => {
    const variations = parseVariations(['experimentalHeader=X-Acme', 'jsonText=map']);
    const sandbox = await start({ variations });
    const senders = 'GET /v2025/verified-from-addresses';
    expect(await call(sandbox, senders)).toMatchObject({ status: 400 });
    expect(await call(sandbox, senders, { headers: { 'X-Acme': 'true' } })).toMatchObject({ status: 200 });
  });
});
