import {
  ABOUT_REFUSALS,
  type RecordField,
  type Records,
  type Refusal,
  type Shape,
  wrapped,
} from './records.ts';

const PLAIN = {
  string: 'str',
  integer: 'int',
  boolean: 'bool',
  object: 'Dict[str, Any]',
  texts: 'Dict[str, str]',
} as const;

function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'record':
      return shape.record.python;
    case 'list':
      // A `List[str]` is no `List[Union[str, …]]`.
      return `List[${shape.of.kind === 'union' ? 'Any' : typeOf(shape.of)}]`;
    case 'union':
      return `Union[${shape.of.map(typeOf).join(', ')}]`;
    default:
      return PLAIN[shape.kind];
  }
}

const fieldLines = ({ name, about, shape, isNullable }: RecordField): readonly string[] => {
  const type = typeOf(shape);
  return [
    ...wrapped(about, 98).map((line) => `    #: ${line}`),
    `    ${name}: ${isNullable ? `Optional[${type}]` : type}`,
  ];
};

function classLines(
  name: string,
  bases: string,
  about: string,
  fields: readonly RecordField[],
): readonly string[] {
  const docstring = about === '' ? [] : [`    """${about}"""`, ''];
  return ['', '', `class ${name}(${bases}):`, ...docstring, ...fields.flatMap(fieldLines)];
}

/** Python 3.9 has no fields that a record may lack, only classes of such fields. */
export function pythonTypes(head: string, records: Records): string {
  const lines = [
    head,
    '"""Records of the API, with the names of its JSON fields."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Dict, List, Optional, TypedDict, Union',
  ];
  for (const record of records.all) {
    const { python: name, about } = record;
    if (record.isUnion) {
      lines.push('', `#: ${about}`, `${name} = ${typeOf(records.ownShape(record.schema))}`);
      continue;
    }
    const fields = records.fields(record);
    const required = fields.filter(({ isRequired }) => isRequired);
    const optional = fields.filter(({ isRequired }) => !isRequired);
    if (optional.length === 0) lines.push(...classLines(name, 'TypedDict', about, required));
    else
      lines.push(
        ...classLines(`_${name}`, 'TypedDict', '', required),
        ...classLines(name, `_${name}, total=False`, about, optional),
      );
  }
  return `${lines.join('\n')}\n`;
}

export function pythonRefusals(head: string, refusals: readonly Refusal[]): string {
  const lines = [
    head,
    '"""Codes of refused keys."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Mapping',
    '',
    `#: ${ABOUT_REFUSALS}`,
    'REFUSALS: Mapping[str, int] = {',
    ...refusals.map(({ code, status }) => `    "${code}": ${status},`),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
