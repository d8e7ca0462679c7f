import { hash } from 'node:crypto';
import { packageVersion } from '../../../kernel/files.ts';
import { maskValue } from '../../../kernel/secrets/key-values.ts';
import { printable } from '../../terminal/cell.ts';
import type { Leak } from './files.ts';

/** What the server did about a value, with `--report`. */
export interface Reported {
  readonly keyId: string | null;
  readonly action: string;
}

/** A finding as it is printed, without the value. */
interface ShownLeak {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly kind: 'api-key' | 'access-key';
  readonly key: string;
  readonly commit?: string;
  readonly keyId?: string | null;
  readonly action?: string;
}

const isAccessKey = (value: string): boolean => /access_[0-9A-Za-z]{49}$/.test(value);

export const shown = (leak: Leak, reported: Reported | undefined): ShownLeak => ({
  path: leak.path,
  line: leak.line,
  column: leak.column,
  kind: isAccessKey(leak.value) ? 'access-key' : 'api-key',
  key: maskValue(leak.value),
  ...(leak.commit !== undefined && { commit: leak.commit }),
  ...reported,
});

const KIND_NAME = { 'api-key': 'API key', 'access-key': 'access key' };

export function textLine({ path, line, column, kind, key, commit, ...rest }: ShownLeak): string {
  const place = `${printable(path)}:${line}:${column}`;
  const added = commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`;
  const result = rest.action === undefined ? '' : `, ${rest.action}`;
  return `${place}: ${KIND_NAME[kind]} ${key}${added}${result}\n`;
}

const RULES = [
  { id: 'keyward-api-key', text: 'A Keyward API key is in this file. Revoke or rotate it.' },
  { id: 'keyward-access-key', text: 'A Keyward access key is in this file. Revoke or rotate it.' },
];

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
          rules: RULES.map(({ id, text }) => ({
            id,
            shortDescription: { text },
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
    message: { text: `${KIND_NAME[kind]} ${key}.${added}` },
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
