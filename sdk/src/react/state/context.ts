import { createContext, useContext } from 'react';
import type { PortalApiKey } from '../client/records.ts';
import type { Messages } from '../text/en.ts';
import type { Format } from '../text/format.ts';
import type { PortalData } from './portal-data.ts';

export interface PortalContextValue {
  readonly data: PortalData;
  readonly messages: Messages;
  readonly format: Format;
  /** Shows the value of a new key once. */
  showValue(title: string, key: PortalApiKey): void;
}

export const PortalContext = createContext<PortalContextValue | null>(null);

export function usePortal(): PortalContextValue {
  const value = useContext(PortalContext);
  if (!value) throw new Error('Use this inside <KeywardPortal>.');
  return value;
}
