import { describe, expect, it } from 'vitest';
import { parseResponse } from './peers.ts';

describe('captured responses', () => {
  const whole = 'HTTP/1.1 404 Not Found\r\nX-Name: a: b\r\nContent-Length: 3\r\n\r\nä!';

  it('keep status, headers and body as they were sent', () => {
    expect(parseResponse(Buffer.from(whole))).toEqual({
      status: 404,
      headers: [
        ['X-Name', 'a: b'],
        ['Content-Length', '3'],
      ],
      body: 'ä!',
      byteLength: Buffer.byteLength(whole),
    });
  });

  it('are incomplete until the last byte of the body', () => {
    const bytes = Buffer.from(whole);
    for (let length = 0; length < bytes.length; length++)
      expect(parseResponse(bytes.subarray(0, length))).toBeNull();
  });

  it('need a content-length', () => {
    expect(() => parseResponse(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('content-length');
  });
});
