import { hash } from 'node:crypto';
import { KeywardError } from '../../kernel/errors.ts';
import type { Branding, BrandingInput } from './schema.ts';
import type { ProjectRow } from './store.ts';

const LOGO_BYTES_MAX = 32 * 1024;
/** A small file can decode to a very large image. */
const LOGO_PIXELS_MAX = 1024;
const DATA_URL = /^data:image\/png;base64,/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The signature of a PNG, and the start of its first chunk. */
const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PNG_END = Buffer.from('49454e44ae426082', 'hex');

type BrandingColumns = Pick<ProjectRow, 'brand_name' | 'accent_color' | 'logo_hash'>;

export const NO_BRANDING: BrandingColumns = {
  brand_name: null,
  accent_color: null,
  logo_hash: null,
};

/** Changed branding. `logo`: a new image in base64; undefined if the image stays or is removed. */
export interface ChangedBranding {
  readonly columns: BrandingColumns;
  readonly logo: string | undefined;
}

export function changedBranding(
  branding: BrandingInput | null | undefined,
  before: BrandingColumns & { readonly id?: string } = NO_BRANDING,
): ChangedBranding {
  const { brand_name, accent_color, logo_hash } = branding === null ? NO_BRANDING : before;
  const { name = brand_name, accentColor = accent_color, logo } = branding ?? {};
  const isSame = logo === undefined || (logo !== null && logo === logoPath(before));
  const png = isSame || logo === null ? undefined : readLogo(logo);
  return {
    columns: {
      brand_name: name,
      accent_color: accentColor?.toLowerCase() ?? null,
      logo_hash: png ? hash('sha256', png, 'base64url') : logo === null ? null : logo_hash,
    },
    logo: png,
  };
}

/** The image in canonical base64. Anything but a PNG is rejected, because the server sends it to browsers. */
function readLogo(text: string): string {
  const base64 = text.replace(DATA_URL, '');
  const bytes = Buffer.from(base64, 'base64');
  const isPng =
    BASE64.test(base64) &&
    bytes.length > 32 &&
    bytes.subarray(0, PNG_START.length).equals(PNG_START) &&
    bytes.subarray(-PNG_END.length).equals(PNG_END);
  if (!isPng)
    throw new KeywardError('invalid_body', 'branding.logo must be a PNG image, in base64.');
  if (bytes.length > LOGO_BYTES_MAX)
    throw new KeywardError('invalid_body', 'branding.logo is larger than 32 KB.');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (Math.max(width, height) > LOGO_PIXELS_MAX || Math.min(width, height) === 0)
    throw new KeywardError(
      'invalid_body',
      `branding.logo must be at most ${LOGO_PIXELS_MAX} pixels wide and high.`,
    );
  return bytes.toString('base64');
}

/** The hash makes the URL change with the image, so that browsers can cache the image. */
const logoPath = ({ id, logo_hash }: { id?: string; logo_hash: string | null }): string | null =>
  logo_hash === null ? null : `/portal/${id}/logo.png?v=${logo_hash.slice(0, 16)}`;

export const brandingRecord = (row: BrandingColumns & { readonly id: string }): Branding => ({
  name: row.brand_name,
  logo: logoPath(row),
  accentColor: row.accent_color,
});
