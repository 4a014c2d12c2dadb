// A comment of a pull request as GitHub shows it, for a picture: its Markdown, and colours for the lines of a difference.
import { marked } from 'marked';

const style = `
body { margin: 0; padding: 24px; background: #fff; color: #1f2328; font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, "DejaVu Sans", sans-serif; }
article { border: 1px solid #d1d9e0; border-radius: 6px; }
header { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; color: #59636e; }
header b { color: #1f2328; }
main { padding: 0 16px 12px; }
h3 { font-size: 1.25em; margin: 20px 0 12px; } h4 { font-size: 1em; margin: 20px 0 12px; }
table { border-collapse: collapse; margin: 12px 0; } th, td { border: 1px solid #d1d9e0; padding: 5px 12px; }
code, pre { font: 12px/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: #818b981f; border-radius: 6px; padding: .2em .4em; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; margin: 12px 0; overflow: auto; }
pre span { display: block; min-height: 1.45em; } .add { background: #dafbe1; color: #116329; } .del { background: #ffebe9; color: #82071e; }
blockquote { margin: 12px 0; padding: 0 1em; border-left: .25em solid #d1d9e0; color: #59636e; } blockquote p { margin: 4px 0; }
blockquote.alert { border-color: #cf222e; color: #1f2328; } .alert b { display: block; color: #cf222e; font-weight: 500; }
details { margin: 8px 0; } summary { cursor: pointer; }
`;

/** A page with the comment. The Markdown is trusted: it is the report of an example. */
export function commentPage(markdown) {
  const renderer = { code: (text, language) => (language === 'diff' ? differenceOf(text) : false) };
  const body = marked
    .use({ renderer })
    .parse(markdown)
    .replace(/<blockquote>\n<p>\[!CAUTION\]/g, '<blockquote class="alert"><p><b>Caution</b>');
  return `<!doctype html><meta charset="utf-8"><title>Comment</title><style>${style}</style>
<article><header><b>github-actions</b> bot commented</header><main>${body}</main></article>`;
}

const differenceOf = (text) => `<pre>${text.split('\n').map(lineOf).join('')}</pre>`;

function lineOf(line) {
  const kind = { '+': 'add', '-': 'del' }[line[0]] ?? '';
  return `<span class="${kind}">${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</span>`;
}
