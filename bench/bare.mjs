// The least that a plan can cost: reads and parses the manifests, fetches the templates with one token, and compares them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';

const [folder = '.', url = ''] = process.argv.slice(2);
const { ID_0: client_id = '', SECRET_0: client_secret = '' } = process.env;
const pageSize = 250;

const nameOf = ({ key, medium, locale }) => [key, medium, locale].join('/');

const declared = readdirSync(folder).flatMap((name) => {
  const documents = parseAllDocuments(readFileSync(join(folder, name), 'utf8'));
  return Array.isArray(documents) ? documents.map((document) => document.toJS()) : [];
});
const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
const { access_token } = await (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json();
const headers = {
  accept: 'application/json',
  authorization: `Bearer ${access_token}`,
  'x-service-experimental': 'true',
};
const offsets = Array.from({ length: Math.ceil(declared.length / pageSize) }, (_, at) => at * pageSize);
const pages = await Promise.all(
  offsets.map(async (offset) => {
    const page = `${url}/v2025/notification-templates?limit=${pageSize}&offset=${offset}`;
    return (await fetch(page, { headers })).json();
  }),
);
const live = new Map(pages.flat().map((template) => [nameOf(template), template]));
const changed = declared.filter((template) => {
  const { kind: _, body, ...fields } = template;
  const there = live.get(nameOf(template));
  const isEqual = Object.entries(fields).every(([name, value]) => isDeepStrictEqual(value, there?.[name]));
  return !isEqual || body !== there?.body;
});
if (live.size !== declared.length)
  throw new Error(`The tenant answered ${JSON.stringify(pages[0]).slice(0, 500)}`);
process.stdout.write(`${changed.length}\n`);
