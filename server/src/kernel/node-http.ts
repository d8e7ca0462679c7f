/**
 * Values of `node:http`. An `import` reads all exports of the module, and reading the export `WebSocket`
 * loads undici: 9 MB, and 50 ms of every start. Types can be imported as usual.
 */
export const { Agent, createServer, request, Server, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
