import { createContext, useContext } from 'react';

/**
 * Parent element of menus and tooltips: the page or the open dialog. Everything outside a native
 * modal dialog is below it and inert.
 */
const PortalContainer = createContext<HTMLElement | null>(null);

export const PortalContainerProvider = PortalContainer.Provider;

export const usePortalContainer = (): HTMLElement | null => useContext(PortalContainer);
