import { useEffect, useRef, useSyncExternalStore } from 'react';
import { readSetting, writeSetting } from './settings-store.ts';

/**
 * Keys that act from anywhere on a page: `mod+k` (⌘ or Ctrl), `?`, or two in a row, `g k`. Not while
 * one types, nor under an open dialog. Those without `mod` can be switched off, since people who
 * dictate set them off by accident.
 */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  run(): void;
}

const SECOND_STROKE_MS = 1_200;

let shortcuts: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Shortcut[]): void {
  shortcuts = next;
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What can be pressed on this page: for the help. */
export const useShortcuts = (): readonly Shortcut[] =>
  useSyncExternalStore(subscribe, () => shortcuts);

export function useShortcut(
  keys: string,
  label: string,
  run: () => void,
  options: { readonly enabled?: boolean } = {},
): void {
  useManyShortcuts(options.enabled === false ? [] : [{ keys, label, run }]);
}

/** Those of a component; they may change what they do at every drawing, and are told so cheaply. */
export function useManyShortcuts(wanted: readonly Shortcut[]): void {
  const latest = useRef(wanted);
  useEffect(() => {
    latest.current = wanted;
  });
  const names = wanted.map(({ keys, label }) => `${keys}\n${label}`).join('\f');
  useEffect(() => {
    if (names === '') return;
    const mine = names.split('\f').map((name, index): Shortcut => {
      const [keys, label] = name.split('\n') as [string, string];
      return { keys, label, run: () => latest.current[index]?.run() };
    });
    change([...shortcuts, ...mine]);
    return () => change(shortcuts.filter((one) => !mine.includes(one)));
  }, [names]);
}

export const singleKeysAreOn = (): boolean => readSetting('singleKeys') !== 'off';
export const setSingleKeys = (on: boolean): void => writeSetting('singleKeys', on ? 'on' : 'off');

let firstStroke = '';
let firstStrokeAt = 0;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const isMod = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : '';
  if (key === '' || (!isMod && (isTyping(event.target) || !singleKeysAreOn()))) return;
  if (document.querySelector('dialog[open]')) return;
  const stroke = isMod ? `mod+${key}` : key;
  const within = event.timeStamp - firstStrokeAt < SECOND_STROKE_MS;
  const wanted = within && firstStroke ? `${firstStroke} ${stroke}` : stroke;
  const found = shortcuts.findLast(({ keys }) => keys === wanted);
  firstStroke = '';
  if (found) {
    event.preventDefault();
    found.run();
  } else if (shortcuts.some(({ keys }) => keys.startsWith(`${stroke} `))) {
    firstStroke = stroke;
    firstStrokeAt = event.timeStamp;
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select'));

export function useShortcutListener(): void {
  useEffect(() => {
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
