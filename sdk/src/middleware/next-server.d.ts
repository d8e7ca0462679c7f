/**
 * What the middleware needs of Next.js, whose 320 MB only the tests of the packages install. They check the types
 * of the built client with the real ones.
 */
declare module 'next/server.js' {
  export class NextRequest extends Request {}
}
