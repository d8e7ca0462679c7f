import { setupLink } from '../features/people/index.ts';
import { PRODUCT } from '../http/openapi/document.ts';
import { maskValue } from '../kernel/secrets/key-values.ts';
import type { Config } from './config.ts';
import type { FirstBoot } from './first-boot.ts';

/** The text printed in the terminal; at the first start with the secrets that are shown only once. */
export function welcome(config: Config, address: string, made: FirstBoot | null): string {
  const base = config.publicUrl ?? address;
  const lines = [
    `Keyward ${PRODUCT.version} is ready at ${address}`,
    `  documentation  ${base}/docs`,
  ];
  if (made !== null)
    lines.push('', ...firstBootLines(config, base, made), ...tryIt(config, address, made));
  return `${lines.join('\n')}\n\n`;
}

export function firstBootLines(config: Config, base: string, made: FirstBoot): string[] {
  const isGiven = config.bootstrapAccessKey !== null;
  return [
    'This is the first start. The following is shown only once:',
    '',
    `  access key     ${isGiven ? `${maskValue(made.accessKey)} (as set)` : made.accessKey}`,
    `  first owner    ${setupLink(base, made.setupToken)}`,
    '',
  ];
}

const tryIt = ({ bootstrapAccessKey }: Config, address: string, { accessKey }: FirstBoot) => [
  'Try it:',
  '',
  `  curl -s ${address}/api-keys -H 'x-api-key: ${bootstrapAccessKey === null ? accessKey : '<ACCESS_KEY>'}' \\`,
  `    -H 'content-type: application/json' -d '{"name":"my first key"}'`,
];
