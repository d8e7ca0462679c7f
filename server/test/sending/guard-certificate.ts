import { generateKeyPairSync, sign } from 'node:crypto';

const TAG = { integer: 2, bits: 3, octets: 4, oid: 6, text: 12, time: 24, sequence: 48, set: 49 };
const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
};

/**
 * Creates a key and a self-signed certificate for DNS names or IPv4 addresses. Encoded here, so
 * that the tests need no certificate tool and the repository contains no private key.
 */
export function selfSigned(names: { readonly dns?: string; readonly ip?: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(TAG.sequence, oid(OID.ecdsaWithSha256));
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, oid(OID.commonName), der(TAG.text, Buffer.from('receiver')))),
  );
  const validity = der(TAG.sequence, time('20200101000000Z'), time('20991231235959Z'));
  const body = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(TAG.sequence, alternativeNames(names))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]);
  const certificate = der(TAG.sequence, body, algorithm, der(TAG.bits, signature));
  const base64 = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

function alternativeNames({ dns, ip }: { readonly dns?: string; readonly ip?: string }): Buffer {
  const names = [
    ...(dns === undefined ? [] : [der(0x82, Buffer.from(dns))]),
    ...(ip === undefined ? [] : [der(0x87, Buffer.from(ip.split('.').map(Number)))]),
  ];
  const value = der(TAG.octets, der(TAG.sequence, ...names));
  return der(TAG.sequence, oid(OID.subjectAltName), value);
}

const oid = (hex: string): Buffer => der(TAG.oid, Buffer.from(hex, 'hex'));

const time = (text: string): Buffer => der(TAG.time, Buffer.from(text));

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
