import { sha256InJavaScript } from './sha256-in-javascript.ts';

/** The part of `node:crypto` that is used here. */
interface NodeCrypto {
  hash?(algorithm: 'sha256', text: string, encoding: 'latin1'): string;
}
interface NodeProcess {
  getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined;
}

/** Not imported, because bundlers and edge runtimes fail on an import of `node:crypto`. */
const { process: node } = globalThis as { process?: NodeProcess };
const nodeHash = node?.getBuiltinModule?.('node:crypto')?.hash;

/**
 * SHA-256 of a string as 32 characters, one per byte. Web Crypto is not an option: it is asynchronous,
 * and a cached key is validated synchronously.
 */
export const sha256: (text: string) => string = nodeHash
  ? (text) => nodeHash('sha256', text, 'latin1')
  : sha256InJavaScript;
