// The client only uses connection pools. Loading fetch, WebSocket, caches and mocks would slow down every start.
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
