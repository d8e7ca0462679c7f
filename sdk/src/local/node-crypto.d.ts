/** The little that is used here: the client is compiled without the types of Node. */
declare module 'node:crypto' {
  export const hash: ((algorithm: string, data: string, encoding: 'hex') => string) | undefined;
  export function createHash(algorithm: string): {
    update(data: string): { digest(encoding: 'hex'): string };
  };
}
