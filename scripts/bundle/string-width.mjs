// string-width sets up an Intl.Segmenter as it is loaded, which takes longer than Node itself; most runs measure ASCII.
export default function stringWidth(text, options) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return require('string-width').default(text, options);
}
