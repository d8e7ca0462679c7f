/**
 * Why no connection was made. The message goes into delivery records, so it says nothing that the
 * owner of the webhook could not know: no address that a name inside the network resolves to.
 */
export class GuardError extends Error {
  override readonly name = 'GuardError';
}
