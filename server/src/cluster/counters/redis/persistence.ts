import type { Send } from './windows.ts';

/** Whether a server writes neither an append-only file nor snapshots; false if it does not say, or may not be asked. */
export async function keepsNothing(send: Send): Promise<boolean> {
  try {
    const info = String(await send(['INFO', 'persistence']));
    if (/^aof_enabled:(\d)/m.exec(info)?.[1] !== '0') return false;
    const [, save] = (await send(['CONFIG', 'GET', 'save'])) as unknown[];
    return save === '';
  } catch {
    return false;
  }
}
