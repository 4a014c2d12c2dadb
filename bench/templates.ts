/** A manifest file. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
}

/** A generated notification template, as a manifest declares it and as the tenant has it. */
export interface Template {
  readonly key: string;
  readonly medium: 'EMAIL';
  readonly locale: string;
  readonly name: string;
  readonly description: string;
  readonly subject: string;
  readonly body: string;
}

const locales = ['en', 'de', 'fr', 'es', 'it', 'ja', 'nl'];
const words = 'access request approval certification manager account review source role reminder'.split(' ');

/** The template of that number; its body has about three kilobytes of HTML, and no two are the same. */
export function template(number: number): Template {
  const key = `notice_${String(Math.floor(number / locales.length)).padStart(5, '0')}`;
  const locale = locales[number % locales.length] ?? 'en';
  const word = (at: number) => words[(number * 7 + at * 3) % words.length] ?? '';
  const lines = Array.from(
    { length: 32 },
    (_, at) =>
      `  <p class="line-${at}">Dear $user.name, the ${word(at)} of your ${word(at + 1)} no. ${number}-${at} is due.</p>`,
  );
  return {
    key,
    medium: 'EMAIL',
    locale,
    name: `Notice ${number}`,
    description: `About the ${word(1)} of the ${word(2)}`,
    subject: `Your ${word(3)} needs a ${word(4)} ($count)`,
    body: ['<html>', '<body>', ...lines, '</body>', '</html>', ''].join('\n'),
  };
}

export function templates(count: number): Template[] {
  return Array.from({ length: count }, (_, number) => template(number));
}

/** The manifest of a template, with the body as a block. */
export function templateManifest({ body, ...fields }: Template): Manifest {
  const members = Object.entries({ kind: 'NotificationTemplate', ...fields }).map(
    ([name, value]) => `${name}: ${/^[\w ]+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const block = body.replace(/\n$/, '').replace(/^/gm, '  ');
  const file = `${fields.key}.${fields.locale}.yaml`;
  return { file, text: `${members.join('\n')}\nbody: |\n${block}\n` };
}

/** The manifest that deletes a template. */
export function absentManifest({ key, medium, locale }: Template): Manifest {
  const text = JSON.stringify({ kind: 'NotificationTemplate', key, medium, locale, ensure: 'absent' });
  return { file: `${key}.${locale}.yaml`, text: `${text}\n` };
}
