import { useEffect, useRef } from 'react';
import { createStore } from '../../hooks/create-store.ts';
import { readSetting, writeSetting } from './settings-store.ts';

/**
 * Keyboard shortcut of the whole page: `mod+k` (⌘ or Ctrl), `?`, or two keys in a row, `g k`.
 * Disabled while a dialog is open and, without `mod`, while typing. Shortcuts without `mod` can be
 * turned off, because voice input triggers them by accident.
 */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  run(): void;
}

const SECOND_STROKE_MS = 1_200;

const shortcuts = createStore<readonly Shortcut[]>([]);

/** Shortcuts of the current page, for the help dialog. */
export const useShortcuts = shortcuts.use;

export function useShortcut(
  keys: string,
  label: string,
  run: () => void,
  options: { readonly enabled?: boolean } = {},
): void {
  useManyShortcuts(options.enabled === false ? [] : [{ keys, label, run }]);
}

/** Registers the shortcuts of a component. Handlers may change on every render without registering again. */
export function useManyShortcuts(own: readonly Shortcut[]): void {
  const latest = useRef(own);
  useEffect(() => {
    latest.current = own;
  });
  const names = own.map(({ keys, label }) => `${keys}\n${label}`).join('\f');
  useEffect(() => {
    if (names === '') return;
    const registered = names.split('\f').map((name, index): Shortcut => {
      const [keys, label] = name.split('\n') as [string, string];
      return { keys, label, run: () => latest.current[index]?.run() };
    });
    shortcuts.set([...shortcuts.get(), ...registered]);
    return () => shortcuts.set(shortcuts.get().filter((one) => !registered.includes(one)));
  }, [names]);
}

export const singleKeyShortcutsAreOn = (): boolean => readSetting('singleKeys') !== 'off';
export const setSingleKeyShortcuts = (on: boolean): void =>
  writeSetting('singleKeys', on ? 'on' : 'off');

let firstStroke = '';
let firstStrokeAt = 0;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const isMod = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : '';
  if (key === '' || (!isMod && (isTyping(event.target) || !singleKeyShortcutsAreOn()))) return;
  if (document.querySelector('dialog[open]')) return;
  const stroke = isMod ? `mod+${key}` : key;
  const within = event.timeStamp - firstStrokeAt < SECOND_STROKE_MS;
  const pressed = within && firstStroke ? `${firstStroke} ${stroke}` : stroke;
  const found = shortcuts.get().findLast(({ keys }) => keys === pressed);
  firstStroke = '';
  if (found) {
    event.preventDefault();
    found.run();
  } else if (shortcuts.get().some(({ keys }) => keys.startsWith(`${stroke} `))) {
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
