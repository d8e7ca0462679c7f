import {
  ABOUT_REFUSALS,
  type RecordField,
  type Records,
  type Refusal,
  type Shape,
  wrapped,
} from './records.ts';

const PLAIN = {
  string: 'string',
  integer: 'int',
  boolean: 'bool',
  object: 'map[string]any',
  texts: 'map[string]string',
  union: 'any',
} as const;

function typeOf(shape: Shape): string {
  if (shape.kind === 'record') return shape.record.go;
  if (shape.kind === 'list') return `[]${typeOf(shape.of)}`;
  return PLAIN[shape.kind];
}

/** Maps, slices and `any` can be nil themselves. An optional string that is empty is not sent. */
function fieldType({ shape, isRequired, isNullable }: RecordField): string {
  const type = typeOf(shape);
  if (isRequired && !isNullable) return type;
  const hasNil = /^(\[\]|map|any$)/.test(type);
  return hasNil || (type === 'string' && !isRequired) ? type : `*${type}`;
}

/** `rateLimitTtl` is `RateLimitTTL`. */
const goName = (name: string): string =>
  `${name[0]!.toUpperCase()}${name.slice(1)}`.replace(/(Id|Ttl)(?=[A-Z]|$)/g, (word) =>
    word.toUpperCase(),
  );

interface Row {
  readonly comment: readonly string[];
  readonly cells: readonly [name: string, type: string, tag: string];
}

/** Aligns as gofmt does: fields between two comments have columns. */
function rowLines(rows: readonly Row[]): readonly string[] {
  const blocks: Row[][] = [];
  for (const row of rows)
    if (row.comment.length > 0 || blocks.length === 0) blocks.push([row]);
    else blocks.at(-1)!.push(row);
  return blocks.flatMap((block) => {
    const width = (column: 0 | 1) => Math.max(...block.map(({ cells }) => cells[column].length));
    return block.flatMap(({ comment, cells: [name, type, tag] }) => [
      ...comment.map((line) => `\t// ${line}`),
      `\t${name.padEnd(width(0))} ${type.padEnd(width(1))} ${tag}`,
    ]);
  });
}

export function goTypes(head: string, records: Records): string {
  const lines = [head, '', 'package keyward', '', 'import "encoding/json"'];
  const structs = records.all.filter(({ isUnion }) => !isUnion);
  const rowsOf = (record: (typeof structs)[number]): readonly Row[] =>
    records.fields(record).map((field) => {
      const type = record.goTypes?.[field.name] ?? fieldType(field);
      const omitted = field.isRequired || record.goKeepsEmpty ? '' : ',omitempty';
      return {
        comment: wrapped(field.about, 106),
        cells: [goName(field.name), type, `\`json:"${field.name}${omitted}"\``],
      };
    });
  for (const record of structs) {
    const base = structs.find(({ go }) => go === record.goEmbeds);
    const inherited = base === undefined ? [] : rowsOf(base).map(({ cells }) => cells.join());
    const own = rowsOf(record).filter(({ cells }) => !inherited.includes(cells.join()));
    const about = `${record.go} is ${record.about[0]!.toLowerCase()}${record.about.slice(1)}`;
    lines.push(
      '',
      `// ${[about, record.goNote].filter(Boolean).join(' ')}`,
      `type ${record.go} struct {`,
      ...(base === undefined ? [] : [`\t${base.go}`]),
      ...rowLines(own),
      ...(record.goExtra ?? []).map((line) => `\t${line}`),
      '}',
    );
  }
  return `${lines.join('\n')}\n`;
}

export function goRefusals(head: string, refusals: readonly Refusal[]): string {
  const width = Math.max(...refusals.map(({ code }) => code.length)) + 3;
  const lines = [
    head,
    '',
    'package keyward',
    '',
    `// ${ABOUT_REFUSALS}`,
    'var refusals = map[string]int{',
    ...refusals.map(({ code, status }) => `\t${`"${code}":`.padEnd(width)} ${status},`),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
