import { createContext, useContext } from 'react';

/**
 * Where menus and tooltips are put: the page, or the dialog that is open. A modal dialog of the
 * browser lies above everything outside it, and makes all that inert.
 */
const PortalContainer = createContext<HTMLElement | null>(null);

export const PortalContainerProvider = PortalContainer.Provider;

export const usePortalContainer = (): HTMLElement | null => useContext(PortalContainer);
