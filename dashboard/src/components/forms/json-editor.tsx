import { type KeyboardEvent, type UIEvent, useRef } from 'react';
import { checkJson, formatJson, METADATA_BYTES_MAX } from '../../text/check-json.ts';
import { wholeNumber } from '../../text/numbers.ts';
import { Button } from '../buttons/button.tsx';
import { cx } from '../cx.ts';
import { Field, inputClass } from './field.tsx';

interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  onChange(text: string): void;
  readonly optional?: boolean;
  /** Why the server rejected it. */
  readonly error?: string | null;
}

/** A text area with line numbers, the position of an error, and the size in bytes. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, value, onChange, optional, error = null } = props;
  const checked = checkJson(value);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = value.split('\n').length;

  const followScroll = (event: UIEvent<HTMLTextAreaElement>) => {
    if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
  };

  /** A new line keeps the indentation. Tab leaves the field, as in any other field. */
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter') return;
    const { selectionStart, value: text } = event.currentTarget;
    const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', selectionStart - 1) + 1))![0];
    if (indent === '') return;
    event.preventDefault();
    // An edit command of the browser, so that undo still works.
    document.execCommand('insertText', false, `\n${indent}`);
  };

  return (
    <Field
      label={label}
      optional={optional}
      error={checked.ok ? error : checked.message}
      hint={
        checked.ok &&
        `${wholeNumber(checked.bytes)} of ${wholeNumber(METADATA_BYTES_MAX)} bytes used`
      }
    >
      {(control) => (
        <div className="relative">
          <div className={cx(inputClass, 'flex overflow-hidden p-0 focus-within:border-focus')}>
            <div
              ref={gutter}
              aria-hidden
              className="select-none overflow-hidden border-line border-r bg-sunken px-2 py-2 text-right font-mono text-faint text-sm leading-5"
            >
              {Array.from({ length: lines }, (_, line) => line + 1).map((line) => (
                <div
                  key={line}
                  className={cx(!checked.ok && checked.line === line && 'font-bold text-bad')}
                >
                  {line}
                </div>
              ))}
            </div>
            <textarea
              {...control}
              value={value}
              rows={5}
              wrap="off"
              spellCheck={false}
              autoCapitalize="off"
              autoCorrect="off"
              onScroll={followScroll}
              onKeyDown={onKeyDown}
              onChange={(event) => onChange(event.target.value)}
              className="min-w-0 flex-1 resize-y bg-transparent px-3 py-2 font-mono text-sm leading-5 focus-visible:-outline-offset-2"
            />
          </div>
          <div className="absolute top-1.5 right-1.5">
            <Button
              size="sm"
              kind="quiet"
              disabled={!checked.ok}
              onClick={() => checked.ok && onChange(formatJson(checked.value))}
            >
              Format
            </Button>
          </div>
        </div>
      )}
    </Field>
  );
}
