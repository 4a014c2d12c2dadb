// Loaded only if a proxy is set. undici's own entry adds the methods of all dispatchers, of which a proxy needs one, and
// loads fetch, WebSocket, caches and mocks.
import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Dispatcher.prototype.connect = connect;

export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
