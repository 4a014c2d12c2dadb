/** The colours of every page, light and dark; `data-theme` on the root chooses one of them for good. */
export const palette = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f8, #0e1217);
  --card: light-dark(#ffffff, #161b22);
  --sunk: light-dark(#f8f9fb, #11161c);
  --text: light-dark(#1a2029, #e2e7ee);
  --soft: light-dark(#566070, #98a3b3);
  --rule: light-dark(#dde2e9, #29313c);
  --focus: light-dark(#0a58ca, #6cb2ff);
  --green: light-dark(#0d5f2c, #7ddc99);
  --green-tint: light-dark(#e5f6ea, #10291a);
  --green-mark: light-dark(#a9e5ba, #174a2b);
  --red: light-dark(#a1160d, #ff9c94);
  --red-tint: light-dark(#fdebe9, #311514);
  --red-mark: light-dark(#f8beb8, #7a2823);
  --amber: light-dark(#7a4a00, #f1c16b);
  --amber-tint: light-dark(#fff3d9, #2c210c);
  --purple: light-dark(#5a2ca0, #cdb0ff);
  --purple-tint: light-dark(#f2eafd, #231a35);
  --blue: light-dark(#0b539b, #8cc4ff);
  --blue-tint: light-dark(#e8f1fb, #10233a);
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
`;
