// string-width creates an Intl.Segmenter when it is loaded, which takes longer than Node's own start. Most runs measure ASCII only.
export default function stringWidth(text, options) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return require('string-width').default(text, options);
}
