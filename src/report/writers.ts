import { writeHtml } from './html/page.ts';
import { writeMarkdown } from './markdown.ts';
import { writeGithub, writeJunit, writeSarif } from './pipelines.ts';
import { writeText } from './text.ts';

/** One for each format that is made of a page. */
export const writers = {
  text: writeText,
  markdown: writeMarkdown,
  html: writeHtml,
  junit: writeJunit,
  github: writeGithub,
  sarif: writeSarif,
} satisfies Record<string, typeof writeText>;
