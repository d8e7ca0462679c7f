/** There was no complete response in time. The message is stored with the delivery. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'no connection was made in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the response are larger than 16 KB',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'the length of the response does not match its content-length',
  UND_ERR_INVALID_ARG: 'the request could not be made from this url and these headers',
  ERR_INVALID_URL: 'the url cannot be read',
};

/** Maps known causes to fixed texts: messages of libraries may quote what was sent. */
export function errorText(error: unknown): string {
  if (error instanceof GuardError || error instanceof ResponseError) return error.message;
  if (error instanceof Error && error.name === 'HTTPParserError')
    return 'the response is not valid HTTP';
  const code = codeOf(error);
  if (code === null) return 'the attempt failed';
  if (TEXTS[code] !== undefined) return TEXTS[code];
  return code.includes('CERT') || code.includes('SIGNATURE')
    ? `the certificate is not trusted (${code})`
    : `the connection failed (${code})`;
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' && /^\w{1,64}$/.test(error.code) ? error.code : null;
}

/**
 * Why no connection was made. The message is stored with the delivery and shown to the owner of the
 * webhook, so it must not reveal what a name resolves to inside the network.
 */
export class GuardError extends Error {
  override readonly name = 'GuardError';
}
