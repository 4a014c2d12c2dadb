/** A base address without a slash at its end, or what is wrong with it. */
export type BaseUrl = { readonly url: string } | { readonly problem: string };

/** Credentials travel to these addresses: https, unless it is this machine; no user, query or fragment. */
export function readUrl(text: string): BaseUrl {
  if (!URL.canParse(text)) return { problem: 'it is no address such as https://acme.api.example.com' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return { problem: 'credentials are sent there, so it must begin with https://' };
  }
  if (url.username || url.password) return { problem: 'credentials do not belong in it' };
  if (url.search || url.hash) return { problem: 'it may have neither ? nor #' };
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
