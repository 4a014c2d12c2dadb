// string-width makes an Intl.Segmenter as it is loaded, which costs every start 10 ms; most runs only measure ASCII.
export default function stringWidth(text, options) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return require('string-width').default(text, options);
}
