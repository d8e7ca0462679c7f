import { sha256InScript } from './sha256-in-script.ts';

/** What is used of `node:crypto`. */
interface NodeCrypto {
  hash?(algorithm: 'sha256', text: string, encoding: 'latin1'): string;
}
interface NodeProcess {
  getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined;
}

/** Without an import: bundlers and edge runtimes would fail on one of `node:crypto`. */
const { process: node } = globalThis as { process?: NodeProcess };
const nodeHash = node?.getBuiltinModule?.('node:crypto')?.hash;

/**
 * SHA-256 of a text as 32 characters, one for each byte. Web Crypto is no choice: it answers only
 * with a promise, and a known key is validated synchronously.
 */
export const sha256: (text: string) => string = nodeHash
  ? (text) => nodeHash('sha256', text, 'latin1')
  : sha256InScript;
