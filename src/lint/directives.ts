/** Directives that cannot do without parentheses, each as it is written. */
const withArguments: Readonly<Record<string, string>> = {
  if: '#if($condition)',
  elseif: '#elseif($condition)',
  foreach: '#foreach($item in $items)',
  set: '#set($name = …)',
  macro: '#macro(name)',
  define: '#define($name)',
};

export function isDirective(name: string): boolean {
  return Object.hasOwn(withArguments, name) || ['else', 'end', 'stop', 'break'].includes(name);
}

/** Whether the directive needs an `#end`. */
export function opensBlock(name: string): boolean {
  return ['if', 'foreach', 'macro', 'define'].includes(name);
}

/** How a directive is written, for hints. */
export function exampleOf(name: string): string {
  return (Object.hasOwn(withArguments, name) ? withArguments[name] : null) ?? `#${name}`;
}
