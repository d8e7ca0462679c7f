import { hash } from 'node:crypto';
import { packageVersion } from '../../../kernel/files.ts';
import { isPortalToken, maskValue } from '../../../kernel/secrets/key-values.ts';
import { printable } from '../../terminal/cell.ts';
import type { Leak } from './files.ts';

/** What the server did about a value, with `--report`. */
export interface Reported {
  readonly keyId: string | null;
  readonly action: string;
}

const KINDS = {
  'api-key': { name: 'API key', advice: 'Revoke or rotate it.' },
  'access-key': { name: 'access key', advice: 'Revoke or rotate it.' },
  'portal-token': {
    name: 'portal token',
    advice: 'It expires within a day; DELETE /portal-sessions/{id} ends its session now.',
  },
};

/** A finding as it is printed, without the value. */
interface ShownLeak {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly kind: keyof typeof KINDS;
  readonly key: string;
  readonly commit?: string;
  readonly keyId?: string | null;
  readonly action?: string;
}

function kindOf(value: string): keyof typeof KINDS {
  if (isPortalToken(value)) return 'portal-token';
  return /access_[0-9A-Za-z]{49}$/.test(value) ? 'access-key' : 'api-key';
}

export const shown = (leak: Leak, reported: Reported | undefined): ShownLeak => ({
  path: leak.path,
  line: leak.line,
  column: leak.column,
  kind: kindOf(leak.value),
  key: maskValue(leak.value),
  ...(leak.commit !== undefined && { commit: leak.commit }),
  ...reported,
});

export function textLine({ path, line, column, kind, key, commit, ...rest }: ShownLeak): string {
  const place = `${printable(path)}:${line}:${column}`;
  const added = commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`;
  const result = rest.action === undefined ? '' : `, ${rest.action}`;
  return `${place}: ${KINDS[kind].name} ${key}${added}${result}\n`;
}

/** SARIF 2.1.0, which code hosts and CI systems show beside the code. */
export const sarif = (leaks: readonly ShownLeak[]) => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Keyward',
          semanticVersion: packageVersion(),
          rules: Object.entries(KINDS).map(([kind, { name, advice }]) => ({
            id: `keyward-${kind}`,
            shortDescription: { text: `A Keyward ${name} is in this file. ${advice}` },
            defaultConfiguration: { level: 'error' },
          })),
        },
      },
      results: leaks.map(sarifResult),
    },
  ],
});

function sarifResult({ path, line, column, kind, key, commit }: ShownLeak) {
  const added = commit === undefined ? '' : ` It was added in commit ${commit}.`;
  return {
    ruleId: `keyward-${kind}`,
    level: 'error',
    message: { text: `${KINDS[kind].name} ${key}.${added}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(path.replaceAll('\\', '/')) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
    // The same value in the same file is the same result, on whatever line it is.
    partialFingerprints: { 'keyAndPath/v1': hash('sha256', `${key} ${path}`) },
  };
}
