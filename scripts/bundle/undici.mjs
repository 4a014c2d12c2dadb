// Of undici the client uses connection pools only; fetch, WebSocket, caches and mocks would cost every start 20 ms.
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
