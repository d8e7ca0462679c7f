import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react';
import { whenReachable } from '../../api/connection.ts';

/**
 * Loads code. If that fails, waits until the server can be reached and tries once more. The second
 * attempt fails if the file no longer exists: after an update, only a reload helps.
 */
async function loadWithRetry<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    await whenReachable();
    return load();
  }
}

/**
 * A page whose code is loaded when it opens. Without a retry, the router would reload the document,
 * and the browser would show its error page.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => loadWithRetry(load), name);

/** Soon after the page has loaded, so that no letter typed right after opening a dialog is lost. */
const PRELOAD_AFTER_MS = 1_000;

/** A dialog or card whose code is loaded after its page. `fallback` is shown until then. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): (props: Props) => ReturnType<typeof createElement> {
  const loaded = () => loadWithRetry(load).then((component) => ({ default: component }));
  const Part = lazy(loaded) as unknown as ComponentType<Props>;
  setTimeout(() => void loaded().catch(() => {}), PRELOAD_AFTER_MS);
  return (props) => createElement(Suspense, { fallback }, createElement(Part, props));
}
